import { testEdits } from './edits.js'
import { routeDrifts } from './route-drifts.js'

testEdits(routeDrifts)
