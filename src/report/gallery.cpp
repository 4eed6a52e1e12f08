#include "report/gallery.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/text.h"
#include "plot/csv.h"
#include "plot/html_page.h"

namespace rayleigh::report {
namespace {

using plot::Card;
using plot::colour_scale;
using plot::csv_text;
using plot::graph_picture;
using plot::HtmlPage;
using Json = nlohmann::ordered_json;

/// With a sign that is as wide as a plus.
std::string signed_number(double value) {
  return fmt::format("{}{:.2f}", value < 0 ? "−" : "+", std::abs(value));
}

double sum_of_labels(const Explanation& explanation) {
  return std::accumulate(explanation.labels.begin(), explanation.labels.end(), 0.0,
                         [](double sum, const LabelShare& label) { return sum + label.share; });
}

double sum_of_nodes(const Explanation& explanation) {
  return std::accumulate(explanation.nodes.begin(), explanation.nodes.end(), 0.0);
}

/// The end of the colour scale: few nodes of all lie beyond it.
double colour_limit(const Gallery& gallery) {
  std::vector<double> sizes;
  for (const ExplainedGraph& graph : gallery.graphs) {
    for (const double share : graph.explanation.nodes) {
      sizes.push_back(std::abs(share));
    }
  }
  std::ranges::sort(sizes);
  const double most = sizes.empty() ? 0 : sizes[(sizes.size() - 1) * 98 / 100];
  return most > 0 ? most : 1;
}

const std::string& node_word(const ExplainedGraph& graph, std::size_t node) {
  const GraphSet& set = graph.drawn.graph;
  return set.node_labels()[set[0].label(node)];
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Labels that tell of bonds the way SMILES does: "C(1:N,aromatic:C)" -> "C(-N,:C)".
std::string short_label(std::string label, bool molecule) {
  if (molecule) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kBonds{
        {{"aromatic:", ":"}, {"1:", "-"}, {"2:", "="}, {"3:", "#"}}};
    for (const auto& [word, sign] : kBonds) {
      replace_all(label, word, sign);
    }
  }
  return core::printable(label, 48);
}

std::string label_words(const Explanation& explanation, bool molecule) {
  constexpr std::size_t kShown = 3;
  std::string words;
  for (std::size_t k = 0; k < std::min(kShown, explanation.labels.size()); ++k) {
    const auto& [label, share] = explanation.labels[k];
    words += fmt::format("{}{} {}", k == 0 ? "" : "; ", short_label(label, molecule),
                         signed_number(share));
  }
  return words;
}

/// Nothing where there is no number.
std::string named_number(std::string_view name, double number) {
  return std::isnan(number) ? "" : fmt::format("{}{:.3g}", name, number);
}

Card card_of(const ExplainedGraph& graph, double limit) {
  const Explanation& why = graph.explanation;
  Card card;
  card.svg = graph_picture(graph.drawn, why.nodes, limit, {.width = 330, .height = 250});
  card.title = graph.id;
  card.lines.push_back(fmt::format(
      "score {:.4g}{}{} · {}{}", graph.score.score,
      named_number(" · probability ", graph.score.probability),
      named_number(" · p-value ", graph.score.p_value),
      graph.score.anomalous ? "called anomalous" : "called normal",
      graph.class_name ? fmt::format(" · class {}", *graph.class_name) : std::string()));
  if (why.method == ExplainMethod::shares) {
    card.lines.push_back(fmt::format("margin {} = constant {}, labels {}, nodes {}",
                                     signed_number(why.margin), signed_number(why.constant),
                                     signed_number(sum_of_labels(why)),
                                     signed_number(sum_of_nodes(why))));
    if (!why.labels.empty()) {
      card.lines.push_back("labels: " + label_words(why, io::is_molecule(graph.drawn.graph, 0)));
    }
  } else {
    card.lines.push_back(fmt::format("margin {}", signed_number(why.margin)));
  }
  for (const Neighbour& near : graph.nearest) {
    card.small.push_back(
        {graph_picture(near.drawn, {}, 1, {.width = 105, .height = 85}),
         fmt::format("{}{}, score {:.2g}", near.id,
                     near.class_name ? fmt::format(", class {}", *near.class_name) : "",
                     near.score)});
  }
  return card;
}

void add_touched(const TouchedNodes& touched, HtmlPage& page) {
  page.heading("Are the changed nodes found?");
  page.paragraph(fmt::format(
      "In {} it is known which nodes were changed. Sorted by the size of what they added, changed "
      "nodes come before the others with these probabilities; 0.5 is chance.",
      core::counted(touched.graphs, "graph")));
  std::vector<std::pair<std::string, std::string>> facts;
  if (touched.shares_auc) {
    facts.emplace_back(fmt::format("{:.3f}", *touched.shares_auc), "AUC of the size of shares");
  }
  facts.emplace_back(fmt::format("{:.3f}", touched.leave_one_out_auc), "AUC of leaving nodes out");
  page.facts(facts);
}

Json optional_text(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }

Json json_of(const ExplainedGraph& graph) {
  const Explanation& why = graph.explanation;
  Json json{{"index", graph.index},
            {"id", graph.id},
            {"class", optional_text(graph.class_name)},
            {"score", graph.score.score},
            {"probability", graph.score.probability},
            {"anomalous", graph.score.anomalous},
            {"unknown_label", graph.score.unknown_label},
            {"method", method_name(why.method)},
            {"margin", why.margin},
            {"constant", why.constant},
            {"labels", Json::array()},
            {"nodes", Json::array()}};
  for (const auto& [label, share] : why.labels) {
    json["labels"].push_back({{"label", label}, {"share", share}});
  }
  for (std::size_t j = 0; j < why.nodes.size(); ++j) {
    json["nodes"].push_back({{"node", j}, {"label", node_word(graph, j)}, {"share", why.nodes[j]}});
  }
  if (graph.drawn.written == io::Structure::smiles) {
    json["smiles"] = graph.drawn.structure;
  }
  if (!graph.nearest.empty()) {
    json["nearest"] = Json::array();
    for (const Neighbour& near : graph.nearest) {
      json["nearest"].push_back({{"index", near.index},
                                 {"id", near.id},
                                 {"class", optional_text(near.class_name)},
                                 {"distance", near.distance},
                                 {"score", near.score}});
    }
  }
  return json;
}

}  // namespace

std::string method_name(ExplainMethod method) {
  return method == ExplainMethod::shares ? "shares" : "leave-one-out";
}

std::string gallery_page(const Gallery& gallery) {
  HtmlPage page("Why these graphs",
                fmt::format("{} · {} · {}", gallery.data, gallery.model, gallery.selection));
  const double limit = colour_limit(gallery);
  const bool exact =
      !gallery.graphs.empty() && gallery.graphs.front().explanation.method == ExplainMethod::shares;
  page.paragraph(
      exact
          ? "The margin, which is the logit of the score, is taken apart exactly into a constant, "
            "a share of each label of the explicit branch and a share of each node. A node is "
            "orange when it made this graph more anomalous than the mean training graph, blue when "
            "it made it less so. A share is not the effect of removing the node: without it, the "
            "rest of the graph would be seen otherwise."
          : "Each node is coloured by how far the margin, the logit of the score or the score of a "
            "one-class detector, falls when the node is taken away: orange nodes made the graph "
            "more anomalous, blue ones less so.");
  page.figure(colour_scale(limit),
              "What a node added to the margin. Stronger than the ends of the "
              "scale are two in a hundred nodes.");
  std::vector<Card> cards;
  cards.reserve(gallery.graphs.size());
  for (const ExplainedGraph& graph : gallery.graphs) {
    cards.push_back(card_of(graph, limit));
  }
  page.heading("The graphs, highest score first");
  page.paragraph(fmt::format(
      "A score above {:.4g} is called anomalous.{}", gallery.threshold,
      gallery.reference ? fmt::format(" The small pictures are the nearest graphs of {} in the "
                                      "embedding before the last layer.",
                                      *gallery.reference)
                        : std::string()));
  page.cards(cards);
  if (gallery.touched) {
    add_touched(*gallery.touched, page);
  }
  return page.html();
}

std::string shares_csv(const Gallery& gallery) {
  std::string text = "index,id,method,kind,node,label,share\n";
  for (const ExplainedGraph& graph : gallery.graphs) {
    const Explanation& why = graph.explanation;
    const std::string start =
        fmt::format("{},{},{}", graph.index, csv_text(graph.id), method_name(why.method));
    if (why.method == ExplainMethod::shares) {
      text += fmt::format("{},constant,,,{}\n", start, why.constant);
    }
    for (const auto& [label, share] : why.labels) {
      text += fmt::format("{},label,,{},{}\n", start, csv_text(label), share);
    }
    for (std::size_t j = 0; j < why.nodes.size(); ++j) {
      text +=
          fmt::format("{},node,{},{},{}\n", start, j, csv_text(node_word(graph, j)), why.nodes[j]);
    }
  }
  return text;
}

nlohmann::ordered_json gallery_json(const Gallery& gallery) {
  Json json{{"model", gallery.model},
            {"data", gallery.data},
            {"selection", gallery.selection},
            {"threshold", gallery.threshold},
            {"reference", optional_text(gallery.reference)},
            {"graphs", Json::array()}};
  for (const ExplainedGraph& graph : gallery.graphs) {
    json["graphs"].push_back(json_of(graph));
  }
  if (gallery.touched) {
    json["touched"] = {
        {"graphs", gallery.touched->graphs},
        {"shares_auc", gallery.touched->shares_auc ? Json(*gallery.touched->shares_auc) : Json()},
        {"leave_one_out_auc", gallery.touched->leave_one_out_auc}};
  }
  return json;
}

}  // namespace rayleigh::report
