/** What holds for every operation, in CommonMark. */
export const introduction = `Coffer accepts cryptocurrency for merchants and pays it out. A merchant makes an invoice, a payer sends money to
the address given for it, and Coffer tells the merchant's server by a signed webhook.

## Credentials

Send \`Authorization: Bearer <token>\` to administer a merchant, or \`X-Api-Key: <key>\` from the merchant's own server.
A key opens one merchant and nothing else. Where both are sent, the Bearer token is judged.
A missing, expired or revoked credential is answered with 401, a valid one without permission with 403.

## Values

Amounts are decimal strings such as \`"12.50"\`, never numbers. Times are \`YYYY-MM-DDTHH:mm:ss.sssZ\`; a filter also takes
a date alone or an offset. Ids are UUIDs, payment methods have numbers. \`null\` for an optional field counts as not sent,
and a field that is not documented is refused with 400.

## Lists

Lists take \`limit\` (1 to 1000, by default 20) and \`page\` (from 1); most also \`order\` and \`orderBy\`. A page with fewer
records than \`limit\` is the last one. A filter that takes several values is repeated: \`types[]=onetime&types[]=collect\`.

## Problems

Whatever is no success is \`application/problem+json\` (RFC 7807). \`code\` is for programs, \`detail\` for people, \`type\` is a
page that says what to do, and \`errors\` names each faulty field by a JSON pointer.

## Doing things once

Send an \`Idempotency-Key\` with what creates, moves or deletes, and send the same key again when you got no answer.

## Limits

Answers carry \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`. Over the limit it is 429 with \`Retry-After\`:
wait that long, then longer each time.

## Changes

Fields, operations, problem codes and event types may be added at any time; clients pass over what they do not know.
Whatever else changes is announced by \`Deprecation\` and \`Sunset\` headers long before.
`
