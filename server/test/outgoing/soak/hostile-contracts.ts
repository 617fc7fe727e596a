/**
 * Contracts that make a payment to them expensive: they need gas, revert, return huge answers, burn all gas,
 * or start to do so later.
 */
import type { WithdrawalFlow } from '../../support/withdrawal-flow.ts'
import { freshAddress, openOrders, pick, type Soak } from './soak.ts'

const modes = { takes: 0, refuses: 1, needs: 2, answers: 3, bombs: 4, burns: 5, breaks: 6 } as const
const modeNames = Object.keys(modes) as (keyof typeof modes)[]
const measures = [3_000n, 50_000n, 80_000n, 300_000n]

/** Creates a new recipient for an order. It does harm from the start, or only after the order was planned. */
export async function makeHostile(soak: Soak): Promise<string> {
  const { dice, flow } = soak
  const address = freshAddress(dice)
  await flow.anvil.rpc('anvil_setCode', [address, soak.hostileCode])
  await flow.anvil.rpc('anvil_setStorageAt', [address, word(1n), word(pick(dice, measures))])
  await setMode(flow, address, dice.chance(0.6) ? 'takes' : pick(dice, modeNames))
  return address
}

/** Changes how some recipient contracts of open orders behave from the next block on. */
export async function switchContracts(soak: Soak): Promise<void> {
  const { dice, flow } = soak
  for (const { merchant, address } of await openOrders(soak))
    if (merchant.kind === 'hostile' && dice.chance(0.3)) await setMode(flow, address, pick(dice, modeNames))
}

async function setMode({ anvil }: WithdrawalFlow, address: string, mode: keyof typeof modes): Promise<void> {
  await anvil.rpc('anvil_setStorageAt', [address, word(0n), word(BigInt(modes[mode]))])
}

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
