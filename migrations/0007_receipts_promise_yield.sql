-- Whether the receipt is a yield (promise_yield_create): it waits for a resume, not for other receipts. NULL: it is
-- none, or it was stored before this column existed.
ALTER TABLE receipts ADD COLUMN is_promise_yield boolean;
