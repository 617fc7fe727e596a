import { required } from '../../core/assert.ts'
import type { Account, Attestation } from '../../signing/signer-port.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import { attestSigner, coldAddressError, type SignerError } from '../engine/signer-client/attest.ts'
import { firstKeyPath } from './shape.ts'
import { hotAddress, type UtxoParts } from './utxo-parts.ts'
import { insertHotWalletAddresses, isOwnAddress, readHotWalletAddress } from './utxo-store.ts'

/**
 * Asks the signer to attest its keys, and compares them with our settings and with the stored hot wallet. If
 * they match, stores the first address of the hot wallet.
 * @returns whether they match
 * @throws SignerAwayError if the signer does not answer
 */
export async function attestHotWallet(parts: UtxoParts, memory: EngineMemory): Promise<boolean> {
  const { network } = parts
  const attested = await attestSigner(parts, memory, {
    findError: (shown) => findError(parts, shown),
    keep: (tx, shown) => {
      const address = hotAddress(parts, required(accountIn(parts, shown), 'the account'), firstKeyPath)
      return insertHotWalletAddresses(tx, network.name, [{ keyPath: firstKeyPath, address }])
    },
  })
  if (attested !== undefined) memory.hotXpub = accountIn(parts, attested)?.hotXpub
  return attested !== undefined
}

function accountIn({ network }: UtxoParts, { accounts }: Attestation): Account | undefined {
  return accounts.find(({ family }) => family === network.name)
}

async function findError(parts: UtxoParts, attested: Attestation): Promise<SignerError | undefined> {
  const { db, network, xpub, coldAddress } = parts
  const account = accountIn(parts, attested)
  if (account?.xpub !== xpub) {
    const detail = `the signer has another account of ${network.name}'s deposit addresses than the one configured`
    return { cause: 'xpub-foreign', detail }
  }
  const stored = await readHotWalletAddress(db, network.name)
  if (stored !== undefined && stored !== hotAddress(parts, account, firstKeyPath))
    return {
      cause: 'xpub-foreign',
      detail: `the signer has another hot wallet of ${network.name} than before`,
    }
  if (coldAddress !== undefined && (await isOwnAddress(db, network.name, coldAddress)))
    return coldAddressError(coldAddress)
  return undefined
}
