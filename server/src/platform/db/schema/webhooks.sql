create table delivery_attempt (
  delivery_id uuid not null,
  number integer not null,
  started_at timestamp(3) with time zone not null,
  took_ms integer not null,
  status integer,
  error text,
  response_excerpt text,
  constraint delivery_attempt_pkey PRIMARY KEY (delivery_id, number),
  constraint delivery_attempt_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES delivery(id),
  constraint delivery_attempt_number_check CHECK ((number > 0))
);
comment on table delivery_attempt is 'One attempt to send a delivery, with the answer of the endpoint. It is deleted with its delivery.';
comment on column delivery_attempt.number is 'Counts the attempts of the delivery from 1.';
comment on column delivery_attempt.took_ms is 'The duration in milliseconds.';
comment on column delivery_attempt.status is 'The HTTP status; null if there was no answer.';
comment on column delivery_attempt.error is 'Why there was no answer; null if there was one.';
comment on column delivery_attempt.response_excerpt is 'The beginning of the response body; null if there was no answer.';
