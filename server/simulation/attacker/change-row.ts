/** Changes a row of the database with the rights of the service, but without its keys. */
import type { Dice } from '../dice.ts'
import type { Tampering } from '../model/tampering.ts'
import { ParkedDatabase } from '../ports/parked-database.ts'
import { Life } from '../scheduler/life.ts'
import { fixed } from '../world/fixed.ts'
import { type Installation, isExpected } from '../world/installation.ts'
import { type Attack, type AttackName, attacks } from './attacks.ts'

/** A row before and after the change, and the written values by column, as JSON text. */
interface ChangedRow {
  readonly before: Facts
  readonly after: Facts
  readonly written: string
}

/** The columns of a row that say whose money it is about. */
interface Facts {
  readonly id: string
  readonly merchant_id?: string | null
  readonly owner_id?: string | null
  readonly invoice_id?: string | null
  readonly payment_method_id?: number | null
  readonly asset?: string
}

/**
 * Makes an attack, if there is a row for it. The statement is a step like those of the processes, because it may wait
 * for their locks.
 * @returns whether a row was changed
 */
export async function changeRow(world: Installation, name: AttackName, dice: Dice): Promise<boolean> {
  const attack: Attack = attacks[name]
  const seed = String(dice.seed())
  const { model, utxoSide } = world
  const values = [
    seed,
    `0x${'7e'.repeat(20)}`,
    utxoSide?.newAddress(dice) ?? 'nowhere',
    // A second change of a row could undo the first.
    model.tamperings.map(({ id }) => id),
  ]
  const row = await write(world, statementOf(attack), values)
  if (row === undefined) return false
  model.tamperings.push(tamperingOf(world, name, row))
  return true
}

/**
 * Returns the statement of an attack. It mentions each parameter with its type, because PostgreSQL cannot determine the
 * type of a parameter that is not used.
 */
export function statementOf({ table, set, where, insert, columns }: Attack): string {
  const written = `(select jsonb_object_agg(key, value) from jsonb_each(changed.row) where key in (${columns
    .map((column) => `'${column}'`)
    .join(', ')}))::text as written`
  const known =
    '$1::text is not null and $2::text is not null and $3::text is not null and $4::text[] is not null'
  if (insert !== undefined)
    return `${insert}, changed as (select to_jsonb(added.*) as row from added)
      select changed.row as before, changed.row as after, ${written} from changed where ${known}`
  return `with victim as (
      select * from ${table} where (${where}) and id::text <> all ($4::text[]) order by md5(id::text || $1::text) limit 1
    ), changed as (
      update ${table} set ${set} from victim where ${table}.id = victim.id and ${known}
      returning to_jsonb(${table}.*) as row
    )
    select to_jsonb(victim.*) as before, changed.row as after, ${written} from victim, changed`
}

/**
 * Runs the statement. A statement that the database refuses has no effect.
 * @throws Error if the statement itself is wrong, which is a fault of the simulation
 */
async function write(
  world: Installation,
  text: string,
  values: readonly unknown[],
): Promise<ChangedRow | undefined> {
  const { scheduler, sessions, time } = world
  const life = new Life('attacker', 1)
  const database = new ParkedDatabase({ scheduler, sessions, time, life, macs: fixed.macs })
  let ended: { readonly rows: readonly ChangedRow[] } | { readonly error: unknown } | undefined
  await scheduler.start(life, 'change a row', async () => {
    ended = await database.db.query<ChangedRow>({ text, values: [...values] }).then(
      (rows) => ({ rows }),
      (error: unknown) => (isRefused(error) || isExpected(error) ? { rows: [] } : { error }),
    )
  })
  while (ended === undefined) if (!(await scheduler.advance())) await world.passToTimer()
  await database.end()
  if ('error' in ended) throw ended.error
  return ended.rows[0]
}

/** Returns whether a constraint, a trigger or a missing right prevented the change (classes 23 and 42501). */
function isRefused(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code.startsWith('23') || code === '42501'
}

function tamperingOf(world: Installation, what: AttackName, row: ChangedRow): Tampering {
  const attack: Attack = attacks[what]
  const { before, after, written } = row
  const invoiceId = attack.table === 'invoice' ? before.id : (before.invoice_id ?? undefined)
  const owners = [before, after].flatMap(({ merchant_id, owner_id }) => merchant_id ?? owner_id ?? [])
  const ofInvoice = invoiceId === undefined ? undefined : world.model.invoices.get(invoiceId)
  const byAsset = world.assets.find(({ name }) => name === before.asset)
  // An address receives every asset of every network of its family, not only the one that its row names.
  return {
    what,
    table: attack.table,
    id: String(after.id),
    written,
    merchantIds: [...new Set([...owners, ...(ofInvoice === undefined ? [] : [ofInvoice])])],
    methodId:
      attack.table === 'address' ? undefined : (byAsset?.methodId ?? before.payment_method_id ?? undefined),
    invoiceId,
    foundBy: attack.foundBy,
    harmlessIf: attack.harmlessIf,
    raisesBalance: attack.raisesBalance === true,
  }
}
