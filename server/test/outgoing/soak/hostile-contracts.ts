/** Contracts that have whoever pays them pay for more: they need gas, revert, answer bombs, burn what they get, or turn to that later. */
import type { WithdrawalFlow } from '../../support/withdrawal-flow.ts'
import { freshAddress, openOrders, pick, type World } from './world.ts'

const modes = { takes: 0, refuses: 1, needs: 2, answers: 3, bombs: 4, burns: 5, breaks: 6 } as const
const modeNames = Object.keys(modes) as (keyof typeof modes)[]
const measures = [3_000n, 50_000n, 80_000n, 300_000n]

/** A recipient of its own for each order, which harms from the start, or only once the order was planned. */
export async function makeHostile(world: World): Promise<string> {
  const { dice, flow } = world
  const address = freshAddress(dice)
  await flow.anvil.rpc('anvil_setCode', [address, world.hostileCode])
  await flow.anvil.rpc('anvil_setStorageAt', [address, word(1n), word(pick(dice, measures))])
  await setMode(flow, address, dice.chance(0.6) ? 'takes' : pick(dice, modeNames))
  return address
}

/** What recipients do changes with the block: some of the contracts to which orders are open behave otherwise from now on. */
export async function turnContracts(world: World): Promise<void> {
  const { dice, flow } = world
  for (const { merchant, address } of await openOrders(world))
    if (merchant.kind === 'hostile' && dice.chance(0.3)) await setMode(flow, address, pick(dice, modeNames))
}

async function setMode({ anvil }: WithdrawalFlow, address: string, mode: keyof typeof modes): Promise<void> {
  await anvil.rpc('anvil_setStorageAt', [address, word(0n), word(BigInt(modes[mode]))])
}

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
