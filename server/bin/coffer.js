#!/usr/bin/env node
// This file is plain JavaScript, because it runs before anything is compiled. Coffer runs in the same
// process, so signals reach it directly.
import { ensureBuilt, ensurePagesBuilt } from './build.js'

await ensureBuilt()
const [, , name, verb] = process.argv
// Only these commands serve the pages.
if (name === 'start' || name === 'demo') await ensurePagesBuilt()
// Only a separate program opens keys. It loads no code of the service.
if (name === 'signer' || (name === 'keys' && verb !== 'rotate-encryption'))
  await import('../dist/bin/signer.js')
else await import('../dist/bin/coffer.js')
