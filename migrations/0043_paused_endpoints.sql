-- An operator holds back what an endpoint gets (receiptd endpoints pause).
ALTER TABLE endpoints ADD COLUMN paused_since timestamptz;
