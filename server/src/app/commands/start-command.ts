import { type App, startApp } from '../app.ts'
import { type Role, roles } from '../jobs.ts'
import { openLog } from '../log.ts'
import { type Config, readConfig } from '../settings/config.ts'
import { type Command, type Terminal, UsageError } from './command.ts'
import { readWords } from './read-words.ts'
import { nextStop } from './stop-signal.ts'
import { welcome } from './welcome.ts'
import { litecoinAsked, litecoinHelp, litecoinOption, withLitecoin } from './with-litecoin.ts'

export const startCommand: Command = {
  usage: '[--roles api,watcher,dispatcher,payouts] [--with-litecoin]',
  help: [
    'Runs Coffer until it gets SIGTERM or Ctrl-C; it then ends what it is doing (at most 10 s) and exits 0.',
    'Without any setting it is a sandbox: an embedded PostgreSQL, a development chain with test money, the API',
    'and all workers, with everything it keeps under ./data.',
    '',
    'COFFER_MODE=production serves real money: it needs its own PostgreSQL, its own nodes and its own keys, generates and',
    'migrates nothing, and lists what is missing. docs/production.md goes through it from an empty machine.',
    '',
    '--roles          which parts this process runs, for several processes on one DATABASE_URL; all by default',
    ...litecoinHelp,
  ],
  run: (words, terminal) => {
    const { values } = readWords(words, { options: { roles: { type: 'string' }, ...litecoinOption } })
    const which = readRoles(values.roles)
    const isOneOfSeveral = which.length < roles.length
    if (isOneOfSeveral && values[withLitecoin])
      throw new UsageError(
        'one chain is for all: with --roles set UTXO_RPC_LITECOIN to a node for every process',
      )
    const environment = litecoinAsked(terminal.environment, values)
    return run(readConfig(environment, { roles: which, isOneOfSeveral }), which, terminal)
  },
}

export const sandboxCommand: Command = {
  usage: '[--with-litecoin]',
  help: [
    'Runs Coffer as "coffer start" does without any setting: with an embedded PostgreSQL and a development chain. It refuses',
    'COFFER_MODE=production.',
    '',
    ...litecoinHelp,
  ],
  run: (words, terminal) => {
    const { values } = readWords(words, { options: litecoinOption })
    const config = readConfig(litecoinAsked(terminal.environment, values), { roles })
    if (config.mode === 'production') throw new Error('COFFER_MODE is production: unset it for a sandbox')
    return run(config, roles, terminal)
  },
}

async function run(config: Config, which: readonly Role[], terminal: Terminal): Promise<number> {
  const log = openLog(config.logLevel)
  const stop = nextStop(() => {
    terminal.note(
      'coffer: stopped at once; PostgreSQL and the dev chain may run on, the next start takes them over',
    )
  })
  let failure: Error | undefined
  const onLost = (error: Error) => {
    failure ??= error
    stop.now()
  }
  const onProgress = (step: string) => terminal.note(`· ${step} …`)
  let app: App | undefined
  try {
    app = await startApp({ config, log, roles: which, signal: stop.signal, onProgress, onLost })
    // Counted from the start of the process, loading the code included: that is what whoever waits sees.
    const took = performance.now()
    // At once, so that whoever waits for one line of it has them all.
    terminal.print(welcome({ config, roles: which, app, took }).join('\n'))
    await stop.asked
  } catch (error) {
    if (!stop.signal.aborted) throw error
  }
  terminal.note(failure === undefined ? '· stopping …' : `coffer: ${failure.message}`)
  await app?.close()
  return failure === undefined ? 0 : 1
}

function readRoles(text: string | undefined): readonly Role[] {
  if (text === undefined) return roles
  const named = text.split(',').map((word) => word.trim())
  const known = roles.filter((role) => named.includes(role))
  if (known.length !== named.length) throw new UsageError(`--roles takes some of ${roles.join(',')}`)
  return known
}
