-- What a transaction called, and what became of the tokens that it sent along. NULL: none.
ALTER TABLE transaction_results ADD COLUMN method_name text COLLATE "C", ADD COLUMN net_deposit numeric(39, 0),
    ADD COLUMN gas_refunded numeric(39, 0), ADD COLUMN deposit_refunded numeric(39, 0);
