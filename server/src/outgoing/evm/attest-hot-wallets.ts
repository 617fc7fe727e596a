import type { Attestation } from '../../signing/signer-port.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import { attestSigner, coldAddressError, type SignerError } from '../engine/signer-client/attest.ts'
import { assetErrorOf } from '../engine/signer-client/attested-limits.ts'
import type { AccountParts } from './account-parts.ts'
import { insertHotWallets, isDerived, readHotWallets } from './wallet-store.ts'

/**
 * Asks the signer to attest its keys and limits, and compares them with our settings and with the stored hot
 * wallets. If they match, stores the addresses of the signer's hot wallets.
 * @returns whether they match
 * @throws SignerAwayError if the signer does not answer
 */
export async function attestHotWallets(parts: AccountParts, memory: EngineMemory): Promise<boolean> {
  const attested = await attestSigner(parts, memory, {
    findError: (shown) => findError(parts, shown),
    keep: (tx, { hotWallets }) => insertHotWallets(tx, parts.network.name, hotWallets),
  })
  if (attested !== undefined) memory.hotWallets = attested.hotWallets
  return attested !== undefined
}

async function findError(
  parts: AccountParts,
  { depositXpub, hotWallets, limits }: Attestation,
): Promise<SignerError | undefined> {
  const { db, network, xpub, coldAddress, countedAs = () => undefined } = parts
  if (depositXpub !== xpub) {
    return {
      cause: 'xpub-foreign',
      detail: 'the signer has another account of deposit addresses than the one configured',
    }
  }
  if (coldAddress !== undefined && (await isOwn(parts, hotWallets, coldAddress)))
    return coldAddressError(coldAddress)
  const stored = await readHotWallets(db, network.name)
  const moved = stored.findIndex((address, hotWallet) => hotWallets[hotWallet] !== address)
  if (moved !== -1)
    return {
      cause: 'xpub-foreign',
      detail: `the signer has another address for hot wallet ${moved} than before`,
    }
  const assetError = assetErrorOf(limits, network.name, countedAs)
  return assetError === undefined ? undefined : { cause: 'signer-answer', detail: assetError }
}

async function isOwn(
  { db, codec, network }: AccountParts,
  hotWallets: readonly string[],
  address: string,
): Promise<boolean> {
  return (
    [...hotWallets, codec.delegateOf(hotWallets)].includes(address) || isDerived(db, network.family, address)
  )
}
