// This file is plain JavaScript, because it runs before anything is compiled. It compiles src and bench, and
// then runs the benchmark. Coffer runs without a loader and with all its checks, so the measured code is the
// code of a release.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tsc } from '../bin/build.js'

const bench = dirname(fileURLToPath(import.meta.url))
const server = dirname(bench)
// Each run has its own folder, because two benchmarks may run at once.
const compiled = join(dirname(server), 'node_modules', '.cache', 'coffer', `bench-${process.pid}`)
process.once('exit', () => rmSync(compiled, { recursive: true, force: true }))

const { status } = spawnSync(process.execPath, [tsc(), '-p', bench, '--outDir', compiled, '--noCheck'], {
  stdio: 'inherit',
})
if (status !== 0) process.exit(status ?? 1)
// Migrations and contracts are read from beside the code, the version from the package.
cpSync(join(server, 'src'), join(compiled, 'src'), {
  recursive: true,
  filter: (path) => !path.endsWith('.ts'),
})
cpSync(join(server, 'package.json'), join(compiled, 'package.json'))
// Coffer starts its signer by the program beside its code.
mkdirSync(join(compiled, 'bin'))
writeFileSync(
  join(compiled, 'bin', 'coffer.js'),
  "await import(['signer', 'keys'].includes(process.argv[2]) ? '../src/bin/signer.js' : '../src/bin/coffer.js')\n",
)

const { main } = await import(join(compiled, 'bench', 'main.js'))
process.exitCode = await main(process.argv.slice(2), server)
