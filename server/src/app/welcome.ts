import type { App } from './app.ts'
import type { Config } from './config.ts'

/** What a newcomer needs: where it is, how to log in, a first tour to paste, where things are kept. */
export function welcome({
  config,
  app,
  took,
}: {
  config: Config
  app: App
  took: number
}): readonly string[] {
  const { publicUrl, nodeUrl, adminPassword } = app
  return [
    '',
    `Coffer sandbox is ready after ${(took / 1000).toFixed(1)} s.`,
    '',
    `  API        ${publicUrl}`,
    `  Log in     ${config.adminEmail} / ${adminPassword.reveal()}`,
    `  Dev chain  ${nodeUrl}   (accounts 0 and 1 hold ETH, USDT and USDC)`,
    `  Kept in    ${config.dataDir}`,
    '',
    'A first tour, to paste into another terminal:',
    '',
    ...tour(publicUrl, config.adminEmail, adminPassword.reveal()).map((line) => `  ${line}`),
    '',
    '"npm run demo" plays a whole payment and tells what happens. Ctrl-C stops Coffer.',
  ]
}

/** From login to an address a customer can pay; README.md has the same lines with their answers. */
export function tour(url: string, email: string, password: string): readonly string[] {
  const json = "-H 'Content-Type: application/json'"
  const field = (name: string) => `| node -pe 'JSON.parse(require("fs").readFileSync(0)).${name}'`
  return [
    `TOKEN=$(curl -s ${url}/auth/login ${json} -d '{"email":"${email}","password":"${password}"}' ${field('token')})`,
    `MERCHANT=$(curl -s ${url}/merchants -H "Authorization: Bearer $TOKEN" ${json} -d '{"name":"My shop"}' ${field('id')})`,
    `KEY=$(curl -s -X POST ${url}/key/generate/$MERCHANT -H "Authorization: Bearer $TOKEN" ${field('apiKey')})`,
    `INVOICE=$(curl -s ${url}/merchants/$MERCHANT/invoices -H "X-Api-Key: $KEY" ${json} -d '{"amount":"25","type":"onetime","paymentMethodID":3}' ${field('id')})`,
    `curl -s ${url}/public/invoices/$INVOICE/method/3/address`,
  ]
}
