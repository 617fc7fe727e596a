import pg from 'pg'

/** Tells when the watcher booked the blocks of each network. */
export interface Booked {
  /** Resolves with the time at which the block at `height` was booked, a value of `performance.now()`. */
  when(network: string, height: number): Promise<number>
  stop(): Promise<void>
}

interface Waiting {
  readonly network: string
  readonly height: number
  resolve(atMs: number): void
}

/**
 * Listens for the commits that move the cursors. A trigger notifies, so that the benchmark needs no queries that
 * would compete with the watcher.
 */
export async function watchBooked(ownerUrl: string): Promise<Booked> {
  const client = new pg.Client({ connectionString: ownerUrl })
  const heights = new Map<string, { readonly height: number; readonly atMs: number }>()
  let waiting: readonly Waiting[] = []
  const note = (network: string, height: number) => {
    const atMs = performance.now()
    heights.set(network, { height, atMs })
    const isDone = (one: Waiting) => one.network === network && one.height <= height
    const done = waiting.filter(isDone)
    waiting = waiting.filter((one) => !isDone(one))
    for (const { resolve } of done) resolve(atMs)
  }
  client.on('notification', ({ payload = '' }) => {
    const [network = '', height] = payload.split(':')
    note(network, Number(height))
  })
  await client.connect()
  await client.query(trigger)
  await client.query('listen bench_booked')
  const when = (network: string, height: number) => {
    const known = heights.get(network)
    if (known !== undefined && known.height >= height) return Promise.resolve(known.atMs)
    return new Promise<number>((resolve) => {
      waiting = [...waiting, { network, height, resolve }]
    })
  }
  return { when, stop: () => client.end() }
}

const trigger = `
  create function bench_booked() returns trigger language plpgsql as
    $$ begin perform pg_notify('bench_booked', new.network || ':' || new.height); return null; end $$;
  create trigger bench_booked after update of height on chain_cursor for each row execute function bench_booked();`
