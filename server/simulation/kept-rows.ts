/**
 * Copies of all rows of a database, in a separate schema. Restoring the rows takes some milliseconds, and the
 * sessions keep their plans. Creating a new database would take half a second.
 */
import pg from 'pg'

/**
 * Names a copy. `base` is the database after the migrations, and `snapshot` is a copy that was made during a
 * run.
 */
export type Slot = 'base' | 'snapshot'

const slots: readonly Slot[] = ['base', 'snapshot']

interface Table {
  readonly name: string
  /** The columns that an INSERT may set, quoted and separated by commas. */
  readonly columns: string
}

export class KeptRows {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  /** @param superuserUrl URL of the database whose rows are copied, with the superuser's role */
  static async open(superuserUrl: string): Promise<KeptRows> {
    const client = new pg.Client({ connectionString: superuserUrl })
    await client.connect()
    await client.query('create schema simulation')
    const tables = await readTables(client)
    const sequences = await readSequences(client)
    for (const slot of slots) {
      for (const { name } of tables)
        await client.query(`create table ${copyOf(slot, name)} as table ${name} with no data`)
      await client.query(
        `create table ${copyOf(slot, 'sequence_values')} (name text, last_value bigint, is_called boolean)`,
      )
      await client.query(functionOf(`keep_${slot}`, keepingOf(slot, tables, sequences)))
      await client.query(functionOf(`put_back_${slot}`, puttingBackOf(slot, tables)))
    }
    return new KeptRows(client)
  }

  async keep(slot: Slot): Promise<void> {
    await this.#client.query({ name: `keep ${slot}`, text: `select simulation.keep_${slot}()` })
  }

  /** Replaces all rows and the values of all sequences by those of the copy. */
  async putBack(slot: Slot): Promise<void> {
    await this.#client.query({ name: `put back ${slot}`, text: `select simulation.put_back_${slot}()` })
  }

  async close(): Promise<void> {
    await this.#client.end()
  }
}

async function readTables(client: pg.Client): Promise<readonly Table[]> {
  const { rows } = await client.query<Table>(`
    select quote_ident(relname) as name,
      (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
    from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`)
  return rows
}

async function readSequences(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select quote_ident(relname) as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'S' order by relname`)
  return rows.map(({ name }) => name)
}

function copyOf(slot: Slot, table: string): string {
  return `simulation.${slot}_${table}`
}

/**
 * Returns the SQL that creates a function from the statements. A session plans the statements of a function
 * only once.
 */
function functionOf(name: string, statements: readonly string[]): string {
  return `create function simulation.${name}() returns void language plpgsql
    set session_replication_role = replica set search_path = public
    as $$ begin ${statements.map((one) => `${one};`).join('\n')} end $$`
}

function keepingOf(slot: Slot, tables: readonly Table[], sequences: readonly string[]): readonly string[] {
  const values = copyOf(slot, 'sequence_values')
  return [
    ...tables.flatMap(({ name }) => [
      `delete from ${copyOf(slot, name)}`,
      `insert into ${copyOf(slot, name)} select * from ${name}`,
    ]),
    `delete from ${values}`,
    ...sequences.map((name) => `insert into ${values} select '${name}', last_value, is_called from ${name}`),
  ]
}

/**
 * Returns the statements that restore the copy. Triggers would refuse to delete some records, so they are
 * off: the function runs with the `session_replication_role` `replica`.
 */
function puttingBackOf(slot: Slot, tables: readonly Table[]): readonly string[] {
  return [
    ...tables.map(({ name }) => `delete from ${name}`),
    ...tables.map(
      ({ name, columns }) =>
        `insert into ${name} (${columns}) overriding system value select ${columns} from ${copyOf(slot, name)}`,
    ),
    `perform setval(name::regclass, last_value, is_called) from ${copyOf(slot, 'sequence_values')}`,
  ]
}
