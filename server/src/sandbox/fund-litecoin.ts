/**
 * Funds the hot wallets on the sandbox's Litecoin chain from the operator's wallet, with the operator's
 * money.
 */
import { fieldsOf } from '../chains/json-rpc.ts'
import { callLitecoin, operatorsWallet, walletUrl } from './litecoin-call.ts'

/** The amount that each hot wallet gets, in whole coins. It is far more than fees need. */
const share = '10'
const label = 'capital'

/** Returns the only address that holds the operator's coins. The first call creates the address. */
export async function readOperatorsAddress(url: string, signal?: AbortSignal): Promise<string> {
  const wallet = walletUrl(url, operatorsWallet)
  const [known] = await callLitecoin(wallet, 'getaddressesbylabel', [label], signal).then(
    (found) => Object.keys(fieldsOf(found)),
    () => [],
  )
  return known ?? String(await callLitecoin(wallet, 'getnewaddress', [label, 'bech32'], signal))
}

/**
 * Sends `share` to each hot wallet that has not received it before. Change goes back to the operator's
 * address, so that every payment by the operator comes from this address.
 * @returns the number of wallets that were funded
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
