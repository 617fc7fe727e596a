import { join } from 'node:path'
import { outsidersWallet } from '../../sandbox/litecoin-call.ts'
import type { App } from '../app.ts'
import { roles as allRoles, type Role } from '../jobs.ts'
import type { Config } from '../settings/config.ts'

export interface WelcomeParts {
  readonly config: Config
  readonly roles: readonly Role[]
  readonly app: App
  readonly took: number
}

/** In a sandbox what a newcomer needs: where it is, how to log in, a first tour to paste, where things are kept. */
export function welcome(parts: WelcomeParts): readonly string[] {
  return parts.config.mode === 'sandbox' ? sandboxWelcome(parts) : productionWelcome(parts)
}

/** Into a log, more likely than to a person: no password, no URL of a node. */
function productionWelcome({ config, roles, app, took }: WelcomeParts): readonly string[] {
  const count = config.evmRpcEthereum.length
  const nodes = count === 1 ? 'one node, which is believed alone' : `${count} nodes`
  return [
    `Coffer (${roles.join(', ')}) is ready after ${(took / 1000).toFixed(1)} s.`,
    ...(roles.includes('api') ? [`  API        ${app.publicUrl} on ${config.host} port ${config.port}`] : []),
    `  Chain      ethereum, ${nodes}`,
  ]
}

/** The chain beside the first, and what the catalogue has besides and how to have it. */
function furtherChains({ app, config }: WelcomeParts): readonly string[] {
  const { litecoinUrl, unavailable } = app
  const missing = unavailable.map(
    ({ method, remedy }, place) => `  ${place === 0 ? 'Not here' : '        '}   ${method.symbol}: ${remedy}`,
  )
  if (litecoinUrl === undefined) return missing
  const { origin, port } = new URL(litecoinUrl)
  const asking = `-regtest -datadir=${join(config.dataDir, 'litecoind')} -rpcport=${port} -rpcwallet=${outsidersWallet}`
  return [
    `  Litecoin   ${origin}   (a payer: litecoin-cli ${asking} sendtoaddress ADDRESS AMOUNT)`,
    ...missing,
  ]
}

function sandboxWelcome(parts: WelcomeParts): readonly string[] {
  const { config, roles, app, took } = parts
  const { publicUrl, nodeUrl } = app
  // Who set a password knows it, and it may be one of worth: it is not printed.
  const password = config.adminPassword === undefined ? app.adminPassword?.reveal() : undefined
  const seconds = (took / 1000).toFixed(1)
  const kept = [
    `  Dev chain  ${nodeUrl}   (accounts 0 and 1 hold ETH, USDT and USDC)`,
    ...furtherChains(parts),
    `  Kept in    ${config.dataDir}${config.databaseUrl === undefined ? '' : ' and the database of DATABASE_URL'}`,
    '',
  ]
  const which = roles.length === allRoles.length ? '' : ` (${roles.join(', ')})`
  const ready = ['', `Coffer sandbox${which} is ready after ${seconds} s.`, '']
  if (!roles.includes('api')) return [...ready, ...kept]
  return [
    ...ready,
    `  API        ${publicUrl}`,
    `  Dashboard  ${publicUrl}/dashboard`,
    `  Log in     ${config.adminEmail} / ${password ?? '(ADMIN_PASSWORD as you set it)'}`,
    ...kept,
    'A first tour, to paste into another terminal:',
    '',
    ...tour(publicUrl, config.adminEmail, password ?? shellsPassword).map((line) => `  ${line}`),
    '',
    '"npm run demo" plays a whole payment and tells what happens. Ctrl-C stops Coffer.',
  ]
}

/** Out of a shell's single quotes, its variable, and back into them. */
const shellsPassword = `'"$ADMIN_PASSWORD"'`

/** The steps from login to an address that a customer can pay. README.md has a longer tour with a token instead of the login. */
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
