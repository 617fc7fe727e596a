import { type FeeType, feeTypes } from '../../../pricing/fees/fee.ts'
import { setSchedule, unsetSchedule } from '../../../pricing/fees/set-schedule.ts'
import { listSchedules, type StoredSchedule } from '../../../pricing/fees/store.ts'
import { storedScheduleView } from '../../../pricing/fees/view.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { actingOnFigures, type Desk } from '../operator-desk.ts'
import { describeTarget, readTarget, targetOptions } from '../operator-words.ts'

const string = { type: 'string' } as const
const options = { ...targetOptions, type: string, percent: string, flat: string, currency: string }

/** More than anybody reads; the API pages through the rest. */
const listedRows = 1000

export const feesCommand: Command = {
  usage:
    'list | set | unset  [--type T] [--merchant ID] [--method N] [--percent P] [--flat F] [--currency C]',
  help: [
    'A fee is a percentage of the amount plus a flat part, and never more than the amount. Where nothing is set, the',
    'defaults of this installation hold.',
    '',
    '  coffer fees list                                                       what is set',
    '  coffer fees set --type onetime --percent 1.5 --flat 0.50               everybody, in USD',
    '  coffer fees set --type onetime --method 3 --percent 1 --flat 0.0002    payments in ether, in ether',
    '  coffer fees set --type withdrawal --method 1 --percent 0 --flat 1      withdrawals of USDT',
    '  coffer fees set --type collect --merchant ID --percent 0.8             an agreement with one merchant',
    '  coffer fees unset --type collect --merchant ID                         takes that one back',
    '',
    `Types: ${feeTypes.join(', ')}. A method is its number or its symbol (GET /payment-methods).`,
    'Of merchant and method comes before of the merchant, before of the method, before of everybody; one schedule',
    'replaces the next whole. With --method the flat part is in its asset, or in USD with --currency USD, converted at',
    'the price of each payment; withdrawals need no price, so theirs is in the asset. Payments that were seen before',
    'keep the terms they had. A running Coffer applies a change at once; each is recorded.',
  ],
  run: actingOnFigures(options, { list, set, unset }),
}

type Values = { readonly [name in keyof typeof options]?: string | undefined }

async function list({ db, methods }: Desk, values: Values, terminal: Terminal): Promise<number> {
  const { merchantId } = readTarget(methods, values)
  const { schedules, total } = await listSchedules(db, merchantId, { page: 1, limit: listedRows })
  if (total === 0) terminal.note('Nothing is set: the defaults hold.')
  for (const stored of schedules) terminal.print(lineOf({ methods }, stored))
  return 0
}

async function set(desk: Desk, values: Values, terminal: Terminal): Promise<number> {
  const { percent, flat = '0', currency } = values
  if (percent === undefined) throw new UsageError('say how much: --percent 1.5')
  const target = { type: readType(values.type), ...readTarget(desk.methods, values) }
  const stored = await setSchedule(desk, undefined, { ...target, percent, flat, currency })
  terminal.print(lineOf(desk, stored))
  return 0
}

async function unset(desk: Desk, values: Values, terminal: Terminal): Promise<number> {
  const target = { type: readType(values.type), ...readTarget(desk.methods, values) }
  const wasSet = await unsetSchedule(desk, undefined, target)
  terminal.note(wasSet ? 'Taken back.' : 'Nothing was set for exactly these.')
  return wasSet ? 0 : 1
}

function readType(text: string | undefined): FeeType {
  const type = feeTypes.find((known) => known === text)
  if (type === undefined) throw new UsageError(`say --type ${feeTypes.join('|')}`)
  return type
}

function lineOf({ methods }: Pick<Desk, 'methods'>, stored: StoredSchedule): string {
  const { type, percent, flat, currency, ...target } = storedScheduleView(methods, stored)
  return `${type.padEnd(10)}  ${describeTarget(methods, target)}  ${percent} % + ${flat} ${currency}`
}
