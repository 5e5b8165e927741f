-- Hashes that the chain executed in several blocks: each execution is a tree of its own (schema/37_executions.sql).
CREATE TABLE executions (
    tx_hash text COLLATE "C" NOT NULL,
    block_height bigint NOT NULL,
    block_time timestamptz NOT NULL,
    tree_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tx_hash, block_height)
);
CREATE INDEX ON executions (block_time);
