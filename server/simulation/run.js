// Plain JavaScript, because it runs before anything is compiled. It compiles src and simulation side by side. With
// --mutants it plants one fault after the other in the compiled code, and counts the seeds until each is found.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { tsc } from '../bin/build.js'

const simulation = dirname(fileURLToPath(import.meta.url))
const server = dirname(simulation)
// A folder of its own, because two simulations may run at once.
const compiled = join(dirname(server), 'node_modules', '.cache', 'coffer', `simulation-${process.pid}`)
process.once('exit', () => rmSync(compiled, { recursive: true, force: true }))

const require = createRequire(import.meta.url)
compile()
const words = process.argv.slice(2)
const at = words.indexOf('--mutants')
process.exitCode = at < 0 ? await runOnce() : await runMutants(words[at + 1] ?? '')

function compile() {
  const { status } = spawnSync(
    process.execPath,
    [tsc(), '-p', simulation, '--outDir', compiled, '--noCheck'],
    {
      stdio: 'inherit',
    },
  )
  if (status !== 0) process.exit(status ?? 1)
  // Migrations and contracts are read from beside the code, the version from the package.
  cpSync(join(server, 'src'), join(compiled, 'src'), {
    recursive: true,
    filter: (path) => !path.endsWith('.ts'),
  })
  cpSync(join(server, 'package.json'), join(compiled, 'package.json'))
}

async function runOnce() {
  const { main } = await import(join(compiled, 'simulation', 'main.js'))
  return main(words)
}

/**
 * Runs seeds with each mutant whose name begins with `prefix`, until something is found.
 * @returns {Promise<number>} the exit code: 1 if a mutant survived
 */
async function runMutants(prefix) {
  const { mutants } = await import(join(compiled, 'simulation', 'mutants', 'mutants.js'))
  const chosen = mutants.filter(({ name }) => name.startsWith(prefix.startsWith('--') ? '' : prefix))
  const rest = words.filter((word, index) => index !== at && (index !== at + 1 || word.startsWith('--')))
  const { startCluster } = await import(join(compiled, 'simulation', 'database-server.js'))
  const { stop, ...cluster } = await startCluster()
  let survivors = 0
  try {
    for (const mutant of chosen) {
      const result = await runMutant(mutant, rest, cluster)
      if (result.failing === 0) survivors += 1
      console.log(lineOf(mutant, result))
    }
  } finally {
    await stop()
  }
  console.log(`${chosen.length - survivors} of ${chosen.length} mutants found`)
  return survivors === 0 ? 0 : 1
}

/** Runs seeds with a mutant in a process of its own, which uses the PostgreSQL server that already runs. */
async function runMutant(mutant, rest, cluster) {
  const restore = await plant(mutant)
  const program = `const { main } = await import(${JSON.stringify(join(compiled, 'simulation', 'main.js'))})
    process.exitCode = await main(process.argv.slice(2), JSON.parse(process.argv[1]))`
  const seeds = rest.includes('--seeds') ? [] : ['--seeds', '200']
  const options = ['--json', '--once', '--whole', '--stop-at', '1', ...seeds, ...rest]
  const run = spawn(
    process.execPath,
    ['--input-type=module', '-e', program, '--', JSON.stringify(cluster), ...options],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const json = await text(run.stdout)
  restore()
  return JSON.parse(json)
}

/** Plants a mutant in the compiled code. Returns what takes it out again. */
async function plant(mutant) {
  const { changed, changesOf } = await import(join(compiled, 'simulation', 'mutant.js'))
  const typescript = require('typescript')
  const { config } = typescript.readConfigFile(join(server, 'tsconfig.json'), typescript.sys.readFile)
  const sources = new Map()
  const originals = new Map()
  for (const change of changesOf(mutant)) {
    const text = sources.get(change.file) ?? readFileSync(join(server, 'src', change.file), 'utf8')
    sources.set(change.file, changed(text, change))
  }
  for (const [file, text] of sources) {
    const path = join(compiled, 'src', file.replace(/\.ts$/, '.js'))
    originals.set(path, readFileSync(path))
    const { options } = typescript.convertCompilerOptionsFromJson(config.compilerOptions, server)
    const { outputText } = typescript.transpileModule(text, {
      // A single file does not show that its package holds modules.
      compilerOptions: { ...options, module: typescript.ModuleKind.ESNext },
      fileName: file,
    })
    writeFileSync(path, outputText)
  }
  return () => {
    for (const [path, text] of originals) writeFileSync(path, text)
  }
}

function lineOf({ name }, { failing, seeds, seconds, found }) {
  const of = `${name.padEnd(52)} ${String(seeds).padStart(5)} seeds ${seconds.toFixed(0).padStart(5)} s`
  return failing === 0 ? `${of}  SURVIVES` : `${of}  ${found[0].findings[0].split('\n')[0].slice(0, 120)}`
}
