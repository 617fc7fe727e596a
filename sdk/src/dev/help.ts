/** The texts of `--help`. */

const overview = `coffer-dev: receive the events of a Coffer server on the machine where you write your program.

  coffer-dev listen --forward http://localhost:4000/hook    forward events as they happen
  coffer-dev send invoice.paid --forward ...                send one made-up event, without a server
  coffer-dev trigger                                        request a webhook.test event from the server
  coffer-dev help listen                                    show the help of one command

Neither a tunnel nor a webhook is needed: listen reads the merchant's events from the server with your API key and
posts each of them to your receiver, signed as the server would sign it.`

const server = `  --url <url>             the URL of the server; or COFFER_URL; default http://127.0.0.1:3000
  --api-key <key>         the API key of a merchant; better as COFFER_API_KEY, which process lists do not show
  --token <token>         a Bearer token instead; or COFFER_TOKEN
  --merchant <id>         or COFFER_MERCHANT_ID; not needed with an API key or if there is only one merchant`

const listen = `coffer-dev listen --forward <url> [options]

Posts the merchant's events to your receiver, one after the other in order, with the headers and bytes of a real
delivery. Prints a line for each: time, type, sequence, the receiver's status and the duration.

  --forward <url>         your receiver, such as http://localhost:4000/hook
${server}
  --from now|<sequence>   where to start: with new events (default), or after that sequence; 0 for all
  --events <type,...>     only these types, such as invoice.paid,withdrawal.completed
  --secret <secret>       the signing secret; better as COFFER_WEBHOOK_SECRET, which process lists do not show;
                          by default one is derived and printed, the same each time for the same API key
  --service-name <name>   the server's SERVICE_NAME; by default read from the server

While nothing listens at your receiver, events wait. A response other than 2xx is printed and not retried (a real
delivery is retried for three days): use --from to repeat events. After an outage of the server, listen continues
where it stopped. Press Ctrl-C to stop; it prints where to continue.

  COFFER_API_KEY=... npx coffer-dev listen --forward http://localhost:4000/hook`

const send = `coffer-dev send <type> --forward <url> [--secret <secret>] [--service-name <name>]

Posts one made-up event to your receiver, signed as a server would sign it, and prints the response. Needs no server.

  --forward <url>         your receiver
  --secret <secret>       the secret that your receiver verifies with; better as COFFER_WEBHOOK_SECRET, which process
                          lists do not show
  --service-name <name>   the name in the header X-<name>-Signature; default Service

  COFFER_WEBHOOK_SECRET=... npx coffer-dev send invoice.paid --forward http://localhost:4000/hook`

const trigger = `coffer-dev trigger [options]

Requests a webhook.test event from the server. It is delivered to the merchant's webhook and read by a running
"coffer-dev listen". The merchant must have a webhook (POST /weebhook/{merchantID}), and a Bearer token is required.

${server}`

const texts: Readonly<Record<string, string>> = { listen, send, trigger }

export function helpText(about: string | undefined): string {
  return (about === undefined ? undefined : texts[about]) ?? overview
}
