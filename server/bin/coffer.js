#!/usr/bin/env node
// Plain JavaScript, because it runs before anything is compiled. It stays this process: a signal sent to it reaches Coffer.
import { ensureBuilt } from './build.js'

await ensureBuilt()
// The keys are opened by a program of its own, which holds nothing of the service.
if (['signer', 'keys'].includes(process.argv[2])) await import('../dist/bin/signer.js')
else await import('../dist/bin/coffer.js')
