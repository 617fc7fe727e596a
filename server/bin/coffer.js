#!/usr/bin/env node
// Plain JavaScript, because it runs before anything is compiled. It stays this process: a signal sent to it reaches Coffer.
import { ensureBuilt } from './build.js'

await ensureBuilt()
await import('../dist/bin/coffer.js')
