-- Receipts that carry a global contract from shard to shard, one row for each shard that it is sent to.
CREATE TABLE global_contract_distributions (
    receipt_id text COLLATE "C" NOT NULL,
    block_height bigint NOT NULL,
    block_time timestamptz NOT NULL,
    shard_id bigint,
    deployer_id text COLLATE "C" NOT NULL,
    contract_hash text COLLATE "C",
    contract_account_id text COLLATE "C",
    code text COLLATE "C" NOT NULL,
    nonce numeric(20, 0),
    target_shard_id bigint NOT NULL,
    delivered int NOT NULL,
    UNIQUE (receipt_id, block_time)
) PARTITION BY RANGE (block_time);
CREATE INDEX ON global_contract_distributions (deployer_id, block_time);
