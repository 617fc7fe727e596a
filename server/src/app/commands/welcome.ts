import { join } from 'node:path'
import { evmNetworkNames } from '../../chains/evm/evm-networks.ts'
import { faucetWallet } from '../../sandbox/litecoin-call.ts'
import type { App } from '../app.ts'
import { roles as allRoles, type Role } from '../jobs.ts'
import type { Config } from '../settings/config.ts'
import { ofNetwork } from '../settings/network-settings.ts'
import type { UnavailableMethod } from '../unavailable-methods.ts'

export interface WelcomeParts {
  readonly config: Config
  readonly roles: readonly Role[]
  readonly app: App
  readonly took: number
}

/**
 * Returns the lines printed after a start. In a sandbox they contain what a newcomer needs: the URLs, the
 * login, commands of a first tour, and the folder of the data.
 */
export function welcome(parts: WelcomeParts): readonly string[] {
  return parts.config.mode === 'sandbox' ? sandboxWelcome(parts) : productionWelcome(parts)
}

/**
 * Returns the lines for production. They contain no passwords or node URLs, because the lines usually end up
 * in a log.
 */
function productionWelcome({ config, roles, app, took }: WelcomeParts): readonly string[] {
  const chains = evmNetworkNames.flatMap((name) => {
    const count = ofNetwork(config, 'evmRpc', name).length
    return count === 0 ? [] : [`${name}, ${count === 1 ? 'one node, without a quorum' : `${count} nodes`}`]
  })
  return [
    `Coffer (${roles.join(', ')}) is ready after ${(took / 1000).toFixed(1)} s.`,
    ...(roles.includes('api') ? [`  API        ${app.publicUrl} on ${config.host} port ${config.port}`] : []),
    ...chains.map((chain) => `  Chain      ${chain}`),
  ]
}

/**
 * Returns the lines about the Litecoin chain, if there is one, and about the payment methods that are not
 * available, with what enables each.
 */
function furtherChains({ app, config }: WelcomeParts): readonly string[] {
  const { litecoinUrl, unavailable } = app
  const missing = missingCoins(unavailable).map(
    (line, index) => `  ${index === 0 ? 'Disabled' : '        '}   ${line}`,
  )
  if (litecoinUrl === undefined) return missing
  const { origin, port } = new URL(litecoinUrl)
  const asking = `-regtest -datadir=${join(config.dataDir, 'litecoind')} -rpcport=${port} -rpcwallet=${faucetWallet}`
  return [`  Litecoin   ${origin}   (payer: litecoin-cli ${asking} sendtoaddress ADDRESS AMOUNT)`, ...missing]
}

/** Returns one line for each missing UTXO network, and one for all missing EVM networks. */
function missingCoins(unavailable: readonly UnavailableMethod[]): readonly string[] {
  const isEvm = ({ method }: UnavailableMethod) => evmNetworkNames.some((name) => name === method.network)
  const networks = [...new Set(unavailable.filter(isEvm).map(({ method }) => method.network))]
  return [
    ...unavailable.filter((one) => !isEvm(one)).map(({ method, remedy }) => `${method.symbol}: ${remedy}`),
    ...(networks.length === 0
      ? []
      : [`${networks.join(', ')}: set EVM_RPC_<NAME> to a node of a dev chain (docs/networks.md)`]),
  ]
}

function sandboxWelcome(parts: WelcomeParts): readonly string[] {
  const { config, roles, app, took } = parts
  const { publicUrl, devUrls } = app
  // A configured password is not printed, because the user knows it, and it may protect something valuable.
  const password = config.adminPassword === undefined ? app.adminPassword?.reveal() : undefined
  const seconds = (took / 1000).toFixed(1)
  const kept = [
    `  Dev chain  ${devUrls.get('ethereum') ?? ''}   (accounts 0 and 1 hold ETH, USDT and USDC)`,
    ...[...devUrls].flatMap(([name, url]) => (name === 'ethereum' ? [] : [`  ${name.padEnd(10)} ${url}`])),
    ...furtherChains(parts),
    `  Data       ${config.dataDir}${config.databaseUrl === undefined ? '' : ' and the database of DATABASE_URL'}`,
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
    'To try it, paste these lines into another terminal:',
    '',
    ...tour(publicUrl, config.adminEmail, password ?? shellsPassword).map((line) => `  ${line}`),
    '',
    '"npm run demo" runs a complete payment and explains each step. Ctrl-C stops Coffer.',
  ]
}

/** Shell text for use inside single quotes: it closes them, inserts the variable, and opens them again. */
const shellsPassword = `'"$ADMIN_PASSWORD"'`

/**
 * Returns the shell commands of a short tour, which starts with the login and ends with an address that a
 * customer can pay. README.md has a longer tour, which uses a token instead of the login.
 */
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
