/**
 * Simulates the model of the payout protocol. With all its rules the model keeps its invariants. Without one
 * of its rules an order is paid twice, which shows that the simulator finds such a fault.
 */
import { beforeEach, expect, it } from 'vitest'
import { commandOf, isQuintInstalled, quintMissing, type Simulation, simulate } from '../support/quint.ts'
import { type PayoutState, storyOf } from './payout-story.ts'

const patienceMs = 300_000

const all = ['noOrderIsPaidTwice', 'eachNonceIsUsedOnce', 'completedOrdersArePaid', 'heldMoneyIsReleasedOnce']

/** The parameters that all simulations have in common. */
const fixed = { file: 'payout-protocol.qnt', steps: 50 }

type Choice = Pick<Simulation, 'module' | 'seed' | 'traces' | 'invariants'>

/**
 * Returns the states of the first trace that violates an invariant, and a text that describes it and how to
 * repeat it. Returns no states and an empty text if there is no such trace.
 */
async function findViolation(choice: Choice): Promise<{ states: readonly PayoutState[]; text: string }> {
  const simulation = { ...choice, ...fixed }
  const simulated = await simulate(simulation)
  if (simulated.type === 'clean') return { states: [], text: '' }
  const states = simulated.states as readonly PayoutState[]
  return { states, text: `${commandOf(simulation)}\n${storyOf(states)}` }
}

beforeEach(({ skip }) => skip(!isQuintInstalled, quintMissing))

it('keeps every invariant with all rules, with one order and with two', { timeout: patienceMs }, async () => {
  const found = await Promise.all([
    findViolation({ module: 'whole', seed: '0x20261122', traces: 500, invariants: all }),
    findViolation({ module: 'wholeOfTwoOrders', seed: '0x20261122', traces: 500, invariants: all }),
  ])
  expect(found.map(({ text }) => text)).toEqual(['', ''])
})

/**
 * The first trace of each seed has a violation. After a change of the model, the simulator may have to search
 * for another one.
 */
it.each([
  ['the adoption of the signer’s log', 'withoutAdoption', '0x773b2ca1'],
  ['the comparison of nonces', 'withoutComparison', '0x15df'],
  ['the checkpoint', 'withoutCheckpoint', '0xfff0'],
  ['the check of the lease', 'withoutLeaseCheck', '0x7735b676'],
  ['the recovery that an operator orders', 'withoutOrderedRecovery', '0x6ab2'],
])('pays an order twice without %s', { timeout: patienceMs }, async (rule, module, seed) => {
  const choice = { module, seed, traces: 10_000, invariants: ['noOrderIsPaidTwice'] }
  const { states, text } = await findViolation(choice)
  const mined = states.at(-1)?.chain.mined ?? []
  expect(
    mined.filter(({ order }) => order === 1),
    commandOf({ ...choice, ...fixed }),
  ).toHaveLength(2)
  console.log(`Without ${rule}:\n${text}`)
})
