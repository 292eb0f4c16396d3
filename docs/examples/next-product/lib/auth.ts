import { portico } from '@portico/sdk/next'

export const auth = portico({ claims: ['permissions'] })
