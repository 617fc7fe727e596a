import { required } from '../../core/assert.ts'
import type { WalletPlace } from '../../signing/intent.ts'
import { coinOf } from '../engine/machine.ts'
import type { MachineMemory } from '../engine/machine-memory.ts'
import type { Proposal } from '../engine/purpose.ts'
import { readComing, readSpent, readTallies } from '../engine/wallet-store.ts'
import { type AccountParts, walletOf } from './account-parts.ts'
import { samePlace, type Wallet } from './choose-wallets.ts'

/**
 * The lanes, and the deposit addresses that must send by themselves, with what each can still spend: what the chain
 * says that it holds at our own height, less all that leaves it and is in no block up to there. What is moved to it is told apart.
 */
export async function readWallets(
  parts: AccountParts,
  memory: MachineMemory,
  proposals: readonly Proposal[],
  height: number,
  signal: AbortSignal,
): Promise<readonly Wallet[]> {
  const places = placesOf(memory, proposals)
  const addresses = places.map((place) => walletOf(parts, memory, place))
  const assets = assetsOf(parts, proposals)
  const { name } = parts.network
  const [tallies, spent, coming, ...balances] = await Promise.all([
    readTallies(parts.db, name, addresses),
    readSpent(parts.db, name, coinOf(parts), addresses, height),
    readComing(parts.db, name, height),
    ...[...assets.values()].map((contract) => {
      const asset = contract === null ? { type: 'coin' as const } : { type: 'token' as const, contract }
      return parts.chain.readBalances(asset, addresses, height, signal)
    }),
  ])
  const found = new Map(tallies.map((tally) => [tally.wallet, tally]))
  return places.map((place, index) => {
    const address = required(addresses[index], 'an address')
    const { inFlight, nonceEnd } = required(found.get(address), 'the tally of a wallet')
    const freeMinor = new Map(
      [...assets.keys()].map((asset, at) => [
        asset,
        (balances[at]?.[index] ?? 0n) - (spent.get(`${address} ${asset}`) ?? 0n),
      ]),
    )
    const comingTo = (asset: string) =>
      place.type === 'lane' ? (coming.get(`${place.lane} ${asset}`) ?? 0n) : 0n
    const comingMinor = new Map([...assets.keys()].map((asset) => [asset, comingTo(asset)]))
    return { place, address, inFlight, nonceEnd, freeMinor, comingMinor }
  })
}

function placesOf({ lanes }: MachineMemory, proposals: readonly Proposal[]): readonly WalletPlace[] {
  const places: WalletPlace[] = lanes.map((_, lane) => ({ type: 'lane', lane }))
  for (const { from } of proposals) {
    if (from !== undefined && !places.some((place) => samePlace(place, from))) places.push(from)
  }
  return places
}

/** Contracts by the ledger's names of assets, the coin's first. */
function assetsOf(parts: AccountParts, proposals: readonly Proposal[]): ReadonlyMap<string, string | null> {
  const assets = new Map<string, string | null>([[coinOf(parts), null]])
  for (const { spends } of proposals) if (spends !== undefined) assets.set(spends.asset, spends.contract)
  return assets
}
