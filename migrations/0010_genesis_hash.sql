-- The hash of the chain's genesis block, as the hosts told it at the first start. NULL: nobody has told it yet.
ALTER TABLE chain_identity ADD COLUMN genesis_hash text COLLATE "C";
