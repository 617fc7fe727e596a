import { isId, newId } from '../../../core/ids.ts'
import { formatDecimal } from '../../../core/money.ts'
import { attributeMoney } from '../../../outgoing/treasury/attribute-money.ts'
import { listDebts } from '../../../outgoing/treasury/debt-store.ts'
import { orderTakeOut } from '../../../outgoing/treasury/order-take-out.ts'
import { takeOutSources } from '../../../outgoing/treasury/own-money.ts'
import { readTreasury } from '../../../outgoing/treasury/read-treasury.ts'
import { assetFiguresView, debtView, unattributedView } from '../../../outgoing/treasury/view.ts'
import { writeOffDebt } from '../../../outgoing/treasury/write-off-debt.ts'
import { listUnattributed } from '../../../payments/deposits/unattributed/list-store.ts'
import { coldAddressesOf, readConfig } from '../../settings/config.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { type Desk, withMethods } from '../operator-desk.ts'
import { printable, readTarget, targetOptions } from '../operator-words.ts'
import { readWords } from '../read-words.ts'

const string = { type: 'string' } as const
const options = {
  ...targetOptions,
  transaction: string,
  from: string,
  amount: string,
  reason: string,
  json: { type: 'boolean' },
} as const

export const treasuryCommand: Command = {
  usage:
    '[unattributed | assign | fund | take-out | debts | write-off]  [--transaction ID] [--merchant ID] [--method N] [--from A] [--amount A] [--reason R] [--json]',
  help: [
    'Prints for each asset what the hot wallet and the deposit addresses hold, what is on its way, what is owed to',
    'merchants and payers, and what is the operator’s own. --json prints the same for programs.',
    '',
    '  coffer treasury unattributed                                what came in and belongs to nobody we know',
    '  coffer treasury assign --transaction ID --merchant ID       it is that merchant’s, less the usual fee',
    '  coffer treasury fund --transaction ID                       it is the operator’s own: capital',
    '  coffer treasury take-out --method 1 --from fees --amount 250   to the cold address (COLD_ADDRESS_<NETWORK>)',
    '  coffer treasury debts                                       what each merchant owes, and since when',
    '  coffer treasury write-off --merchant ID --method 1 --amount 5   bear what it owes, 5 as told by debts, out of capital',
    '',
    'Money whose sender did not pass screening is assigned or taken as funds only with --reason, which is recorded.',
    'Gas is paid from the operator’s own ether alone (capital and fees, less network fees): to add some, send it to a',
    'hot wallet, wait for its confirmations, then say "fund". Nothing can be taken out that gas, merchants or another',
    'order has a claim on. A debt is written off whole, unless it is more than --amount by now. Each act is recorded.',
    'Works beside a running Coffer and on one that is stopped.',
  ],
  run: async (words, terminal) => {
    const { values, positionals } = readWords(words, { options, positionals: 1 })
    const act = actions[positionals[0] ?? 'figures']
    if (act === undefined) throw new UsageError(`say ${Object.keys(actions).slice(1).join(', ')}, or nothing`)
    return withMethods(terminal, (desk) => act(desk, values, terminal))
  },
}

type Values = {
  readonly [name in Exclude<keyof typeof options, 'json'>]?: string | undefined
} & { readonly json?: boolean | undefined }
type Action = (desk: Desk, values: Values, terminal: Terminal) => Promise<number>

/** More than anybody reads; the API pages through the rest. */
const listedRows = 1000

const actions: Readonly<Record<string, Action>> = {
  figures,
  unattributed,
  assign: (desk, values, terminal) => {
    const { merchantId } = readTarget(desk.methods, values)
    if (merchantId === undefined) throw new UsageError('say to which merchant: --merchant ID')
    return attribute(desk, values, merchantId, terminal)
  },
  fund: (desk, values, terminal) => attribute(desk, values, undefined, terminal),
  'take-out': takeOut,
  debts,
  'write-off': writeOff,
}

async function figures(
  { db, methods }: Desk,
  { json = false }: Values,
  { print }: Terminal,
): Promise<number> {
  const views = (await readTreasury(db, methods)).map(assetFiguresView)
  if (json) print(JSON.stringify({ assets: views }, undefined, 2))
  else for (const view of views) for (const line of linesOf(view)) print(line)
  return views.every(({ isSolvent }) => isSolvent) ? 0 : 1
}

function linesOf(view: ReturnType<typeof assetFiguresView>): readonly string[] {
  const { symbol, network, liabilities, own, queue } = view
  const line = (what: string, amount: string, remark = '') =>
    `  ${what.padEnd(20)} ${amount.padStart(28)} ${symbol}${remark === '' ? '' : `  ${remark}`}`
  const lanes = view.lanes.map(({ lane, address, balance }) => line(`  lane ${lane}`, balance, address))
  return [
    `${symbol} on ${network}${view.isSolvent ? '' : '   NOT SOLVENT: custody does not cover what is owed'}`,
    line('custody', view.custody),
    line('hot wallet', view.hotWallet),
    ...lanes,
    line('deposit addresses', view.depositAddresses),
    line('deposits pending', view.pendingDeposits),
    line('leaving', view.leaving),
    line('owed to others', liabilities.total),
    line('  available', liabilities.available),
    line('  held', liabilities.held),
    line('  quarantine', liabilities.quarantine),
    line('  below minimum', liabilities.belowMinimum),
    line('  unattributed', liabilities.unattributed),
    line('owed by merchants', view.owedByMerchants),
    line('own, free', own.free, `capital ${own.capital}, fees ${own.fees}, network fees ${own.networkFees}`),
    line('forfeited', own.forfeited, `of which ${own.takeable.forfeited} may be taken out`),
    line(
      'queued withdrawals',
      queue.amount,
      `${queue.withdrawals} orders, the hot wallet lacks ${queue.shortfall}`,
    ),
  ]
}

async function unattributed(
  { db, methods }: Desk,
  { json = false }: Values,
  terminal: Terminal,
): Promise<number> {
  const { transactions, total } = await listUnattributed(db, { page: 1, limit: listedRows })
  const views = transactions.map((one) => unattributedView(methods, (_, address) => address, one))
  if (json) terminal.print(JSON.stringify({ data: views, total }, undefined, 2))
  else if (total === 0) terminal.note('Nothing waits for an owner.')
  else
    for (const { id, amount, symbol, state, createdAt, recipient, amlOk } of views)
      terminal.print(
        `${id}  ${createdAt}  ${amount} ${symbol}  ${state}  to ${recipient}${amlOk ? '' : '  sender did not pass'}`,
      )
  return 0
}

async function debts({ db, methods }: Desk, { json = false }: Values, terminal: Terminal): Promise<number> {
  const { debts: owed, total } = await listDebts(db, { page: 1, limit: listedRows })
  const views = owed.map((one) => debtView(methods, one))
  if (json) terminal.print(JSON.stringify({ data: views, total }, undefined, 2))
  else if (total === 0) terminal.note('Nobody owes anything.')
  else
    for (const { merchantID, merchantName, since, amount, symbol, network } of views)
      terminal.print(`${merchantID}  ${since}  ${amount} ${symbol} on ${network}  ${printable(merchantName)}`)
  return 0
}

async function attribute(
  desk: Desk,
  values: Values,
  merchantId: string | undefined,
  { environment, note }: Terminal,
): Promise<number> {
  const transactionId = readId(values.transaction, '--transaction')
  const { feeDefaults } = readConfig(environment)
  const wish = { transactionId, merchantId, reason: values.reason }
  const { state } = await attributeMoney({ ...desk, feeDefaults }, undefined, wish)
  const whose = merchantId === undefined ? 'the operator’s own' : `merchant ${merchantId}’s`
  note(state === 'confirmed' ? `Booked as ${whose}.` : `It will be ${whose} once it is confirmed.`)
  return 0
}

async function takeOut(desk: Desk, values: Values, { environment, note }: Terminal): Promise<number> {
  const { paymentMethodId } = readTarget(desk.methods, values)
  const source = takeOutSources.find((one) => one === values.from)
  if (paymentMethodId === undefined || source === undefined || values.amount === undefined) {
    throw new UsageError(`say --method, --from ${takeOutSources.join('|')} and --amount`)
  }
  const coldAddresses = coldAddressesOf(readConfig(environment))
  const wish = { id: newId(), paymentMethodId, source, amount: values.amount }
  const { id } = await orderTakeOut({ ...desk, coldAddresses }, undefined, wish)
  note(`Ordered as ${id}; it leaves as soon as a hot wallet holds it.`)
  return 0
}

async function writeOff(desk: Desk, values: Values, { note }: Terminal): Promise<number> {
  const { merchantId, paymentMethodId } = readTarget(desk.methods, values)
  if (merchantId === undefined || paymentMethodId === undefined || values.amount === undefined) {
    throw new UsageError('say --merchant ID, --method N, and as --amount what it owes')
  }
  const wish = { id: newId(), merchantId, paymentMethodId, amount: values.amount }
  const amountMinor = await writeOffDebt(desk, undefined, wish)
  const method = desk.methods.byId(paymentMethodId)
  note(`Written off: ${formatDecimal(amountMinor, method?.decimals ?? 0)} ${method?.symbol ?? ''}.`)
  return 0
}

function readId(text: string | undefined, option: string): string {
  if (text !== undefined && isId(text)) return text.toLowerCase()
  throw new UsageError(`say ${option} with an id`)
}
