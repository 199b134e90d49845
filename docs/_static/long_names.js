// Names in side bars and tables may break between their words: LeastSquares|Probabilistic|Classifier, SVC(|probability=|True).
const SEAMS = /(?<=[a-z])(?=[A-Z])|(?<=[_.(=[])(?=\w)/;
const NARROW = "#pst-primary-sidebar a, #pst-secondary-sidebar a, .bd-article td code";

for (const place of document.querySelectorAll(NARROW)) {
  const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) found.push(texts.currentNode);
  for (const text of found) {
    const [first, ...others] = text.data.split(SEAMS);
    text.replaceWith(first, ...others.flatMap((word) => [document.createElement("wbr"), word]));
  }
}
