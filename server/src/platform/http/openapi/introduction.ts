/** The part of the API's description that applies to every operation, in CommonMark. */
export const introduction = `Coffer accepts cryptocurrency for merchants and pays it out. A merchant creates an invoice, a payer sends money to
its payment address, and Coffer notifies the merchant's server with a signed webhook.

## Credentials

Send \`Authorization: Bearer <token>\` to administer a merchant, or \`X-Api-Key: <key>\` from the merchant's own server.
A key gives access to one merchant only. If both are sent, the Bearer token is used.
A missing, expired or revoked credential gets 401; a valid one without permission gets 403.

## Values

Amounts are decimal strings such as \`"12.50"\`, never numbers. Times are \`YYYY-MM-DDTHH:mm:ss.sssZ\`; a filter also accepts
a date alone or an offset. Ids are UUIDs; payment methods have numbers. \`null\` in an optional field counts as not sent,
and a field that is not documented is rejected with 400.

## Lists

Lists accept \`limit\` (1 to 1000, by default 20) and \`page\` (from 1); most also \`order\` and \`orderBy\`. A page with fewer
records than \`limit\` is the last one. A filter that takes several values is repeated: \`types[]=onetime&types[]=collect\`.

## Errors

Errors are \`application/problem+json\` (RFC 7807). \`code\` is for programs, \`detail\` is for people, \`type\` links to a
page that explains the problem and what to do, and \`errors\` names each invalid field by a JSON pointer.

## Idempotency

Send an \`Idempotency-Key\` with each request that creates, moves or deletes something, and repeat the request with the
same key if you get no answer.

## Limits

Answers have \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`. Over the limit, the status is 429 with \`Retry-After\`:
wait that long, then longer after each further 429.

## Changes

Fields, operations, problem codes and event types may be added at any time; clients must ignore what they do not know.
All other changes are announced long before by \`Deprecation\` and \`Sunset\` headers.
`
