import { testEdits } from './edits.js'
import { recordDrifts } from './record-drifts.js'

testEdits(recordDrifts)
