import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { required } from '../../src/core/assert.ts'

/** A call whose event a receiver wrote down, whatever it answered. */
export interface ReceivedEvent {
  readonly id: string
  /** SHA-256 of the body, in hex. */
  readonly hash: string
  readonly status: number
}

export interface Receiver {
  readonly url: string
  /** Returns every event written so far, in order. */
  received(): Promise<readonly ReceivedEvent[]>
  /** Returns the number of unanswered calls by the User-Agent of their senders. */
  open(): Promise<Readonly<Record<string, number>>>
  stop(): void
}

/** Starts a compiled `receiver-child.ts`, which writes what it receives to `file`. */
export async function startReceiver(script: string, file: string): Promise<Receiver> {
  const child: ChildProcess = spawn(process.execPath, [script], {
    env: { RECEIVED_FILE: file },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: required(child.stdout, 'what the receiver says') })
  const [port] = await new Promise<[string]>((resolve, reject) => {
    lines.once('line', (line) => resolve([line]))
    child.once('exit', () => reject(new Error('the receiver ended')))
  })
  const url = `http://127.0.0.1:${port}/hook`
  return {
    url,
    open: async () => (await fetch(url)).json() as Promise<Readonly<Record<string, number>>>,
    received: async () => {
      const text = await readFile(file, 'utf8').catch(() => '')
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line): ReceivedEvent => JSON.parse(line))
    },
    stop: () => void child.kill('SIGKILL'),
  }
}
