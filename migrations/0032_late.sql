-- Alerts that are sent, or would have been, long after their cause.
ALTER TABLE deliveries
    ADD COLUMN late boolean NOT NULL DEFAULT false,
    ADD COLUMN withhold_late boolean NOT NULL DEFAULT false;
