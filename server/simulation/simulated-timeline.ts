/** The timeline of the write-ahead log that a simulated database reports. A promoted standby has a higher one. */
import pg from 'pg'

const first = 1

export class SimulatedTimeline {
  readonly #client: pg.Client
  #timeline = first

  private constructor(client: pg.Client) {
    this.#client = client
  }

  /** @param superuserUrl URL of the database, with the superuser's role */
  static async open(superuserUrl: string): Promise<SimulatedTimeline> {
    const client = new pg.Client({ connectionString: superuserUrl })
    await client.connect()
    return new SimulatedTimeline(client)
  }

  async raise(): Promise<void> {
    await this.#set(this.#timeline + 1)
  }

  /** Makes the timeline what it was before any promotion. */
  async reset(): Promise<void> {
    if (this.#timeline > first) await this.#set(first)
  }

  async close(): Promise<void> {
    await this.#client.end()
  }

  async #set(timeline: number): Promise<void> {
    this.#timeline = timeline
    await this.#client.query(
      `create or replace function current_wal_timeline() returns bigint language sql return ${timeline}::bigint`,
    )
  }
}
