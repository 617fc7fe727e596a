/** The texts of `--help`. */

const overview = `coffer-dev: receive the events of a Coffer server on the machine where you write your program.

  coffer-dev listen --forward http://localhost:4000/hook    forward events as they happen
  coffer-dev send invoice.paid --forward ...                send one made-up event, without a server
  coffer-dev trigger                                        have the server tell a webhook.test event
  coffer-dev help listen                                    all about one command

No tunnel is needed and no webhook has to be set: listen reads the merchant's events from the server, as your API key
may, and posts each to your receiver as the server would, signed.`

const server = `  --url <url>             where Coffer is; COFFER_URL; http://127.0.0.1:3000
  --api-key <key>         opens one merchant; better as COFFER_API_KEY, which no list of processes shows
  --token <token>         a Bearer token instead; COFFER_TOKEN
  --merchant <id>         COFFER_MERCHANT_ID; not needed with an API key, nor with one merchant`

const listen = `coffer-dev listen --forward <url> [options]

Posts the merchant's events to your receiver, one after the other in their order, with the headers and bytes that a
delivery has. Prints a line for each: time, type, sequence, the receiver's status, how long it took.

  --forward <url>         your receiver, such as http://localhost:4000/hook
${server}
  --from now|<sequence>   where to begin: with what happens from now on (default), or after that event; 0 for all
  --events <type,...>     these types alone, such as invoice.paid,withdrawal.completed
  --secret <secret>       what to sign with; better as COFFER_WEBHOOK_SECRET, which no list of processes shows;
                          otherwise one is made and printed, the same each time for the same API key
  --service-name <name>   the server's SERVICE_NAME; found out from the server

While nothing listens at your receiver, events wait. An answer other than 2xx is printed and not tried again (a real
delivery is, for three days): go back with --from. When the server is away for a while, listen goes on where it was.
Ctrl-C ends it and prints where to go on.

  COFFER_API_KEY=... npx coffer-dev listen --forward http://localhost:4000/hook`

const send = `coffer-dev send <type> --forward <url> [--secret <secret>] [--service-name <name>]

Posts one made-up event to your receiver, signed as a server would, and prints what it answered. No server is asked.

  --forward <url>         your receiver
  --secret <secret>       what your receiver verifies with; better as COFFER_WEBHOOK_SECRET, which no list of
                          processes shows
  --service-name <name>   stands in the header X-<name>-Signature; Service

  COFFER_WEBHOOK_SECRET=... npx coffer-dev send invoice.paid --forward http://localhost:4000/hook`

const trigger = `coffer-dev trigger [options]

Has the server tell a webhook.test event: it is delivered to the merchant's webhook, and read by a running
"coffer-dev listen". The merchant must have a webhook (POST /weebhook/{merchantID}), and a Bearer token is needed.

${server}`

const texts: Readonly<Record<string, string>> = { listen, send, trigger }

export function helpText(about: string | undefined): string {
  return (about === undefined ? undefined : texts[about]) ?? overview
}
