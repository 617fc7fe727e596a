/**
 * All rules of the tidy test, in the order of their report. Each finding says what is wrong, where, and what
 * to do instead.
 */
import { codeRules } from './code-rules.ts'
import { exportRules } from './export-rules.ts'
import { functionRules } from './function-rules.ts'
import { importRules } from './import-rules.ts'
import { mutantRules } from './mutant-rules.ts'
import type { Rule } from './repository.ts'
import { sqlRules } from './sql-rules.ts'
import { textRules } from './text-rules.ts'
import { upkeepRules } from './upkeep-rules.ts'
import { wordRules } from './word-rules.ts'

export const rules: readonly Rule[] = [
  ...importRules,
  ...exportRules,
  ...functionRules,
  ...codeRules,
  ...sqlRules,
  ...textRules,
  ...upkeepRules,
  ...mutantRules,
  ...wordRules,
]
