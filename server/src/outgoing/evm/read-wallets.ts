import { required } from '../../core/assert.ts'
import type { EvmKeyPath } from '../../signing/intent.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import { coinOf } from '../engine/engine-parts.ts'
import type { Proposal } from '../engine/outgoing-source.ts'
import { type AccountParts, walletOf } from './account-parts.ts'
import { sameKeyPath, type Wallet } from './choose-wallets.ts'
import { readComing, readSpent, readTallies } from './wallet-store.ts'

/**
 * Returns the hot wallets, and the deposit addresses from which proposals want to send. Each has the amounts
 * that it can spend. The amount of an asset is the address's balance on chain at `height`, less the amounts
 * of its own transactions that are in no block up to `height`. Amounts that other hot wallets are sending to
 * a hot wallet are returned separately, as `comingMinor`.
 */
export async function readWallets(
  parts: AccountParts,
  memory: EngineMemory,
  proposals: readonly Proposal[],
  height: number,
  signal: AbortSignal,
): Promise<readonly Wallet[]> {
  const keyPaths = keyPathsOf(memory, proposals)
  const addresses = keyPaths.map((keyPath) => walletOf(parts, memory, keyPath))
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
  return keyPaths.map((keyPath, index) => {
    const address = required(addresses[index], 'an address')
    const { inFlight, nonceEnd } = required(found.get(address), 'the tally of a wallet')
    const freeMinor = new Map(
      [...assets.keys()].map((asset, at) => [
        asset,
        (balances[at]?.[index] ?? 0n) - (spent.get(`${address} ${asset}`) ?? 0n),
      ]),
    )
    const comingTo = (asset: string) =>
      keyPath.type === 'hotWallet' ? (coming.get(`${keyPath.hotWallet} ${asset}`) ?? 0n) : 0n
    const comingMinor = new Map([...assets.keys()].map((asset) => [asset, comingTo(asset)]))
    return { keyPath, address, inFlight, nonceEnd, freeMinor, comingMinor }
  })
}

function keyPathsOf({ hotWallets }: EngineMemory, proposals: readonly Proposal[]): readonly EvmKeyPath[] {
  const keyPaths: EvmKeyPath[] = hotWallets.map((_, hotWallet) => ({ type: 'hotWallet', hotWallet }))
  for (const { from } of proposals) {
    if (from !== undefined && !keyPaths.some((keyPath) => sameKeyPath(keyPath, from))) keyPaths.push(from)
  }
  return keyPaths
}

/**
 * Returns the contract of each asset, keyed by the asset's name in the ledger. The coin comes first; its
 * contract is null.
 */
function assetsOf(parts: AccountParts, proposals: readonly Proposal[]): ReadonlyMap<string, string | null> {
  const assets = new Map<string, string | null>([[coinOf(parts), null]])
  for (const { spends } of proposals) if (spends !== undefined) assets.set(spends.asset, spends.contract)
  return assets
}
