/**
 * The moves of seeds in which orders above a limit need the approval of an operator: orders around the limit, and the
 * decisions of the operator.
 */
import type { Dice } from './dice.ts'
import { eventPlays } from './event-moves.ts'
import type { Approvals } from './model/approvals.ts'
import type { ModelAsset } from './model/asset.ts'
import { findWaiting } from './model/check-approvals.ts'
import type { OrderState } from './model/checked-world.ts'
import type { ModelOrder } from './model/order.ts'
import { fateOf, merchantOf, type Play } from './play.ts'
import { sendCreation } from './requests/answer-under-key.ts'
import { addressedAs, orderCreation } from './requests/creations.ts'
import { endWork, runEverything } from './run/work.ts'
import { callApprove, callReject } from './world/call-operator.ts'
import type { Installation } from './world/installation.ts'
import { assetOf, newRecipient } from './world/payers.ts'
import { findPurses, type Purse } from './world/purses.ts'
import { readChecked } from './world/read-checked.ts'

type ApprovalPlay = (world: Installation, dice: Dice, approvals: Approvals) => Promise<string>

/** Makes the move only if some orders need an operator. Other seeds do not plan these moves. */
function withApprovals(play: ApprovalPlay): Play {
  return (world, dice) => {
    const { approvals } = world.model
    return approvals === undefined
      ? Promise.resolve('no order needs an operator')
      : play(world, dice, approvals)
  }
}

export const approvalPlays = {
  'order around the limit': withApprovals(async (world, dice, approvals) => {
    const { merchantId, asset } = choosePurse(world, dice)
    const permille = dice.pick([400, 600, 1_000, 1_003])
    const amountMinor = amountOf(approvals, asset, permille)
    const address = chooseRecipient(world, asset, dice)
    const creation = orderCreation(world, { merchantId, asset, amountMinor, address })
    const called = await sendCreation(world, 'order a withdrawal', creation)
    return `${merchantOf(world, merchantId)} orders ${amountMinor} ${asset.name}, which is ${permille / 10} % of the limit${fateOf(called)}`
  }),
  'split a withdrawal': withApprovals(async (world, dice, approvals) => {
    const { merchantId, asset } = choosePurse(world, dice)
    const count = dice.between(2, 3)
    const amountMinor = amountOf(approvals, asset, dice.pick([400, 600, 950]))
    let fate = ''
    for (let index = 0; index < count; index += 1) {
      const address = chooseRecipient(world, asset, dice)
      const creation = orderCreation(world, { merchantId, asset, amountMinor, address })
      fate = fateOf(await sendCreation(world, 'order a withdrawal', creation))
    }
    return `${merchantOf(world, merchantId)} orders ${amountMinor} ${asset.name} ${count} times${fate}`
  }),
  'approve a withdrawal': withApprovals(async (world, dice, approvals) => {
    const order = chooseUndecided(world, dice, approvals)
    if (order === undefined) return 'the operator has nothing to approve'
    return `the operator approves ${describe(world, order)}${fateOf(await callApprove(world, approvals, order))}`
  }),
  'reject a withdrawal': withApprovals(async (world, dice, approvals) => {
    const order = chooseUndecided(world, dice, approvals)
    if (order === undefined) return 'the operator has nothing to reject'
    return `the operator rejects ${describe(world, order)}${fateOf(await callReject(world, approvals, order))}`
  }),
  'approve an order above the limit': withApprovals(async (world, dice, approvals) => {
    const { order, text } = await orderAlone(world, dice, approvals, 1_003)
    if (order === undefined) return text
    await runEverything(world)
    return `${text}, and the operator approves it${fateOf(await callApprove(world, approvals, order))}`
  }),
  'reject an order that should be sent': withApprovals(async (world, dice, approvals) => {
    const { order, text } = await orderAlone(world, dice, approvals, 400)
    if (order === undefined) return text
    for (let times = 0; times < 3; times += 1) await runEverything(world)
    return `${text}, and the operator rejects it when it should be sent${fateOf(await callReject(world, approvals, order))}`
  }),
  'order again after a day': withApprovals(async (world, dice, approvals) => {
    const first = await orderAlone(world, dice, approvals, 600)
    if (first.order === undefined) return first.text
    for (let times = 0; times < 3; times += 1) await runEverything(world)
    for (const side of world.sides) side.mine(dice, world.now)
    await runEverything(world)
    await eventPlays['let a day pass'](world)
    const { text } = await orderAlone(world, dice, approvals, 600, first.order)
    return `${first.text}, a day passes, and ${text}`
  }),
} satisfies Readonly<Record<string, Play>>

/**
 * Orders a share of the limit, in thousandths, to a new recipient. `order` is undefined if no order was created.
 * @param purse the merchant and the asset; by default a merchant that can pay more than the limit, if there is one
 */
async function orderAlone(
  world: Installation,
  dice: Dice,
  approvals: Approvals,
  permille: number,
  purse?: Purse,
): Promise<{ readonly order: ModelOrder | undefined; readonly text: string }> {
  const { merchantId, asset } = purse ?? (await chooseFullPurse(world, dice, approvals))
  const amountMinor = amountOf(approvals, asset, permille)
  const address = newRecipient(world, asset, dice)
  const creation = orderCreation(world, { merchantId, asset, amountMinor, address })
  const called = await sendCreation(world, 'order a withdrawal', creation)
  await endWork(world)
  const order = world.model.orders.find((one) => one.address === address && one.isAnswered)
  const text = `${merchantOf(world, merchantId)} orders ${amountMinor} ${asset.name}, which is ${permille / 10} % of the limit${fateOf(called)}`
  return { order, text }
}

/** Relative frequencies of these moves. After a day, earlier orders no longer count in the sum of 24 hours. */
export const approvalWeights: Readonly<
  Record<keyof typeof approvalPlays | keyof Pick<typeof eventPlays, 'let a day pass'>, number>
> = {
  'order around the limit': 8,
  'split a withdrawal': 5,
  'approve a withdrawal': 6,
  'reject a withdrawal': 3,
  'approve an order above the limit': 2,
  'reject an order that should be sent': 1,
  'order again after a day': 1,
  'let a day pass': 0.7,
}

/**
 * Lets the operator decide on most of the orders that wait at rest and may wait according to the model. The others keep
 * waiting.
 * @returns whether the operator decided on any order
 */
export async function decideAtRest(
  world: Installation,
  dice: Dice,
  states: ReadonlyMap<string, OrderState>,
): Promise<boolean> {
  const { approvals } = world.model
  if (approvals === undefined) return false
  let isAnyDecided = false
  for (const order of findWaiting(await readChecked(world), states)) {
    const decision = dice.weighted({ approve: 2, reject: 2, none: 1 })
    if (decision === 'none') continue
    await (decision === 'approve' ? callApprove : callReject)(world, approvals, order)
    isAnyDecided = true
  }
  return isAnyDecided
}

/** Chooses a merchant with twice the limit in an asset. If there is none, chooses as `choosePurse` does. */
async function chooseFullPurse(world: Installation, dice: Dice, approvals: Approvals): Promise<Purse> {
  const full = await findPurses(world, (asset) => 2n * amountOf(approvals, asset, 1_000))
  return full.length === 0 ? choosePurse(world, dice) : dice.pick(full)
}

/** Chooses a merchant, and an asset in which the merchant has an invoice and therefore probably money. */
function choosePurse(world: Installation, dice: Dice): Purse {
  const { shown, merchants } = world.model
  if (shown.length === 0) return { merchantId: dice.pick(merchants), asset: dice.pick(world.assets) }
  const { merchantId, methodId } = dice.pick(shown)
  return { merchantId, asset: assetOf(world, methodId) }
}

/** Returns the largest amount that is worth at most a share of the limit. Balances have eight decimal places. */
function amountOf(approvals: Approvals, asset: ModelAsset, permille: number): bigint {
  const amountMinor = approvals.amountWorth(asset, (approvals.aboveUsd * BigInt(permille)) / 1_000n)
  const step = 10n ** BigInt(Math.max(0, asset.decimals - 8))
  return (amountMinor / step) * step
}

/**
 * Returns a recipient that no order in this asset pays, not even an order whose request is not admitted yet. It is
 * sometimes the recipient of an order in another asset of the same network, because the limit also applies to the sum
 * of a destination.
 */
function chooseRecipient(world: Installation, asset: ModelAsset, dice: Dice): string {
  const { orders, addressed } = world.model
  const others = orders.filter(
    (one) => one.asset.network === asset.network && !addressed.has(addressedAs(asset, one.address)),
  )
  return others.length > 0 && dice.chance(0.5) ? dice.pick(others).address : newRecipient(world, asset, dice)
}

/** Chooses an order for the operator to decide on. Mostly it is one of the five newest orders without a decision. */
function chooseUndecided(world: Installation, dice: Dice, approvals: Approvals): ModelOrder | undefined {
  const { orders } = world.model
  if (orders.length === 0) return undefined
  if (dice.chance(0.15)) return dice.pick(orders)
  const open = orders.filter((order) => {
    const { isApproved, isRejected } = approvals.decisionsOf(order)
    return order.isAnswered && !order.isCancelled && !isApproved && !isRejected
  })
  return open.length === 0 ? undefined : dice.pick(open.slice(-5))
}

function describe(world: Installation, { merchantId, amountMinor, asset }: ModelOrder): string {
  return `the order of ${merchantOf(world, merchantId)} of ${amountMinor} ${asset.name}`
}
