// The label forms of the public header on a pool which is there already, in the current workspace.
// For detectors, which work them out anew for every set they score.
// See the public header for the cost.
#pragma once

#include "rayleigh/spectral/label_forms.h"

#include "core/thread_pool.h"
#include "core/workspace.h"

namespace rayleigh::spectral {

using WorkspaceForms = BasicLabelForms<core::WorkspaceAllocator>;

WorkspaceForms workspace_forms(const GraphSet& graphs, const NodeLabels& labels,
                               const LaplacianOptions& options, core::ThreadPool& pool,
                               LabelPairs pairs = LabelPairs::all);

}  // namespace rayleigh::spectral
