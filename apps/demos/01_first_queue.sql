-- What the service has. `inboxctl ddl` writes such a table, too.
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  customer TEXT NOT NULL
);

CREATE TABLE mail_jobs (
  id INTEGER PRIMARY KEY,
  queue TEXT NOT NULL,
  due TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
  attempt INTEGER NOT NULL DEFAULT 1,
  locked_until TEXT,
  body TEXT NOT NULL
);

CREATE INDEX mail_jobs_due ON mail_jobs (queue, due);
