/** Makes a listed token hostile: other code replaces the test USDT and keeps all balances. */
import { compileContract } from '../support/compile-contract.ts'
import type { OutgoingFlow } from '../support/outgoing-flow.ts'

export interface HostileToken {
  /** Sets how the token misbehaves; `contracts/HostileUsdt.sol` lists the modes. */
  setMode(mode: number): Promise<void>
  /** Emits the event of a transfer that moves nothing. */
  pretend(to: string, amountMinor: bigint): Promise<void>
  /** Takes from a balance without emitting an event. */
  take(from: string, amountMinor: bigint): Promise<void>
}

export async function makeHostile({
  anvil,
  usdt,
}: Pick<OutgoingFlow, 'anvil' | 'usdt'>): Promise<HostileToken> {
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
