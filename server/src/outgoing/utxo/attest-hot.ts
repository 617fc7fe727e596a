import { required } from '../../core/assert.ts'
import type { Account, Attestation } from '../../signing/signer-port.ts'
import type { MachineMemory } from '../engine/machine-memory.ts'
import { attestSigner, coldAddressFault, type SignerFault } from '../engine/signer-client/attest.ts'
import { type CoinParts, hotAddress } from './coin-parts.ts'
import { insertHotPlaces, isOwnAddress, readHotAddress } from './coin-store.ts'
import { noChange } from './shape.ts'

/**
 * Has the signer show its hot wallet.
 * @returns whether it is ours
 * @throws SignerAwayError
 */
export async function attestHot(parts: CoinParts, memory: MachineMemory): Promise<boolean> {
  const { network } = parts
  const attested = await attestSigner(parts, memory, {
    findFault: (shown) => findFault(parts, shown),
    keep: (tx, shown) => {
      const address = hotAddress(parts, required(accountIn(parts, shown), 'the account'), noChange)
      return insertHotPlaces(tx, network.name, [{ place: noChange, address }])
    },
  })
  if (attested !== undefined) memory.hotXpub = accountIn(parts, attested)?.hotXpub
  return attested !== undefined
}

function accountIn({ network }: CoinParts, { accounts }: Attestation): Account | undefined {
  return accounts.find(({ family }) => family === network.name)
}

async function findFault(parts: CoinParts, attested: Attestation): Promise<SignerFault | undefined> {
  const { db, network, xpub, coldAddress } = parts
  const account = accountIn(parts, attested)
  if (account?.xpub !== xpub) {
    const detail = `the signer has another account of ${network.name}'s deposit addresses than the one configured`
    return { cause: 'xpub-foreign', detail }
  }
  const stored = await readHotAddress(db, network.name)
  if (stored !== undefined && stored !== hotAddress(parts, account, noChange))
    return {
      cause: 'xpub-foreign',
      detail: `the signer has another hot wallet of ${network.name} than before`,
    }
  if (coldAddress !== undefined && (await isOwnAddress(db, network.name, coldAddress)))
    return coldAddressFault(coldAddress)
  return undefined
}
