/** The operator's own money on the sandbox's Litecoin chain: what the operator's wallet gives to hot wallets. */
import { fieldsOf } from '../chains/json-rpc.ts'
import { callLitecoin, operatorsWallet, walletUrl } from './litecoin-call.ts'

/** In whole coins; far more than fees take. */
const share = '10'
const label = 'capital'

/** The one address at which the operator's coins lie, made when first asked for. */
export async function readOperatorsAddress(url: string, signal?: AbortSignal): Promise<string> {
  const wallet = walletUrl(url, operatorsWallet)
  const [known] = await callLitecoin(wallet, 'getaddressesbylabel', [label], signal).then(
    (found) => Object.keys(fieldsOf(found)),
    () => [],
  )
  return known ?? String(await callLitecoin(wallet, 'getnewaddress', [label, 'bech32'], signal))
}

/**
 * Gives each wallet its share unless it had one before. What is left comes back to the same address, so that whoever looks
 * knows the payer. @returns how many were given one
 */
export async function fundLitecoinWallets(
  url: string,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const wallet = walletUrl(url, operatorsWallet)
  const sent = await callLitecoin(wallet, 'listtransactions', ['*', 1_000], signal)
  const known = new Set(Array.isArray(sent) ? sent.map((one) => fieldsOf(one)['address']) : [])
  const fresh = addresses.filter((address) => !known.has(address))
  if (fresh.length === 0) return 0
  const changeAddress = await readOperatorsAddress(url, signal)
  const outputs = Object.fromEntries(fresh.map((address) => [address, share]))
  const ask = async (method: string, params: readonly unknown[]) =>
    fieldsOf(await callLitecoin(wallet, method, params, signal))
  const made = await ask('walletcreatefundedpsbt', [[], outputs, 0, { changeAddress }])
  const signed = await ask('walletprocesspsbt', [made['psbt']])
  const { hex } = await ask('finalizepsbt', [signed['psbt']])
  await callLitecoin(url, 'sendrawtransaction', [hex], signal)
  return fresh.length
}
