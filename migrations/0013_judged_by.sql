-- The rules that a result was made by. Rows that are there already were made by earlier ones.
ALTER TABLE transaction_results ADD COLUMN judged_by smallint;
ALTER TABLE coverage ADD COLUMN judged_by smallint NOT NULL DEFAULT 1,
    ADD COLUMN judged_before int8multirange NOT NULL DEFAULT '{}';
