import { setLimits, unsetLimits } from '../../../pricing/limits/set-limits.ts'
import { listOverrides } from '../../../pricing/limits/store.ts'
import { overrideView } from '../../../pricing/limits/view.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { actingOnFigures, type Desk } from '../operator-desk.ts'
import { describeTarget, readTarget, targetOptions } from '../operator-words.ts'

const string = { type: 'string' } as const
const options = { ...targetOptions, 'min-collect': string, 'min-withdraw': string }

/** More than anybody reads; the API pages through the rest. */
const listedRows = 1000

export const limitsCommand: Command = {
  usage: 'list | set | unset  [--merchant ID] [--method N] [--min-collect A] [--min-withdraw A]',
  help: [
    'Figures are in USD for all methods, in the asset for one. Where nothing is set, both are 1 USD, or as much of each',
    'asset as twice its minimum in GET /payment-methods; no rate is ever asked.',
    '',
    '  coffer limits list                                             what is set',
    '  coffer limits set --min-collect 5 --min-withdraw 10            everybody, in USD',
    '  coffer limits set --method 3 --min-withdraw 0.01               withdrawals of ether, in ether',
    '  coffer limits set --merchant ID --min-withdraw 0               one merchant may withdraw any amount',
    '  coffer limits unset --method 3                                 takes both figures for ether back',
    '',
    'Of merchant and method comes before of the merchant, before of the method, before of everybody. A method is its',
    'number or its symbol. A running Coffer applies a change at once; each is recorded.',
  ],
  run: actingOnFigures(options, { list, set, unset }),
}

type Values = { readonly [name in keyof typeof options]?: string | undefined }

async function list({ db, methods }: Desk, values: Values, terminal: Terminal): Promise<number> {
  const { merchantId } = readTarget(methods, values)
  const { pairs, total } = await listOverrides(db, merchantId, { page: 1, limit: listedRows })
  if (total === 0) terminal.note('Nothing is set: 1 USD to collect, and 1 USD’s worth to withdraw.')
  for (const pair of pairs) {
    const { minCollect, minWithdraw, currency, ...target } = overrideView(methods, pair)
    const figures = `collect ${minCollect ?? '-'}, withdraw ${minWithdraw ?? '-'} ${currency}`
    terminal.print(`${describeTarget(methods, target)}  ${figures}`)
  }
  return 0
}

async function set(desk: Desk, values: Values, terminal: Terminal): Promise<number> {
  const wish = { minCollect: values['min-collect'], minWithdraw: values['min-withdraw'] }
  if (wish.minCollect === undefined && wish.minWithdraw === undefined) {
    throw new UsageError('say how much: --min-collect, --min-withdraw or both')
  }
  await setLimits(desk, undefined, { ...readTarget(desk.methods, values), ...wish })
  return list(desk, values, terminal)
}

async function unset(desk: Desk, values: Values, terminal: Terminal): Promise<number> {
  const wasSet = await unsetLimits(desk, undefined, readTarget(desk.methods, values))
  terminal.note(wasSet ? 'Taken back.' : 'Nothing was set for exactly these.')
  return wasSet ? 0 : 1
}
