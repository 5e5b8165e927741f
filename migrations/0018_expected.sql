-- Failures that somebody expects: nobody is told of them.
CREATE TABLE expected_failures (
    name text COLLATE "C" PRIMARY KEY,
    contract_like text COLLATE "C" NOT NULL,
    method_like text COLLATE "C" NOT NULL,
    error_class_like text COLLATE "C" NOT NULL,
    daemon uuid NOT NULL
);
ALTER TABLE findings ADD COLUMN expected boolean;
