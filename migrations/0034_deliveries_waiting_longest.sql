-- The backlog of an endpoint: how many deliveries wait, and for how long the oldest has waited. Both are read
-- from the index alone, however many there are.
CREATE INDEX ON deliveries (endpoint, created_at) WHERE state = 'pending';
