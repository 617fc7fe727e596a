/** A listed token that begins to lie: other code in the place of the test USDT, which keeps all balances. */
import { compileContract } from '../support/compile-contract.ts'
import type { PayoutFlow } from '../support/payout-flow.ts'

export interface HostileToken {
  /** See the contract. */
  setMode(mode: number): Promise<void>
  /** Tells of a transfer that moves nothing. */
  pretend(to: string, amountMinor: bigint): Promise<void>
  /** Takes from somebody's balance without a word. */
  take(from: string, amountMinor: bigint): Promise<void>
}

export async function makeHostile({
  anvil,
  usdt,
}: Pick<PayoutFlow, 'anvil' | 'usdt'>): Promise<HostileToken> {
  const artifact = await compileContract(new URL('./contracts/HostileUsdt.sol', import.meta.url))
  const elsewhere = await anvil.deploy(artifact)
  await anvil.rpc('anvil_setCode', [usdt, await anvil.rpc('eth_getCode', [elsewhere, 'latest'])])
  const call = async (name: string, args: readonly unknown[]) => {
    await anvil.sendCall({ contract: usdt, artifact, name, args })
  }
  return {
    setMode: (mode) => call('setMode', [mode]),
    pretend: (to, amountMinor) => call('pretend', [anvil.accounts[2], to, amountMinor]),
    take: (from, amountMinor) => call('take', [from, amountMinor]),
  }
}
