import type { ReplyOf } from 'coffer-sdk'

export type Overview = ReplyOf<'getOverview'>
