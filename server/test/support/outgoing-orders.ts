import type { Interrupt } from './interrupted.ts'

/** The start parameters of a process that runs the outgoing engine. */
export interface OutgoingOrders {
  readonly databaseUrl: string
  readonly nodeUrl: string
  readonly mnemonic: string
  readonly hotWallets: number
  readonly logPath: string
  /** The key in hex. */
  readonly intentKey: string
  /** False where litecoin is run as a chain without witnesses. */
  readonly hasWitness?: boolean
  readonly interrupt?: Interrupt
}
