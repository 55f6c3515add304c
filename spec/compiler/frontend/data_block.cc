#include "spec/compiler/frontend/data_block.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"

namespace metaroce::compiler {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::TextFormat;

// Deeper nesting than Data has can only be an error.
constexpr int kMaxDepth = 16;

class BlockErrors : public google::protobuf::io::ErrorCollector {
 public:
  BlockErrors(Place first, Problems& problems) : first_(first), problems_(problems) {}

  void AddError(int line, int /*column*/, const std::string& message) override {
    failed_ = true;
    const absl::string_view words = absl::StripSuffix(message, ".");
    problems_.Add({first_.file, first_.line + (line < 0 ? 0 : line)},
                  absl::StrCat("the textproto block does not parse: ", words, "."));
  }
  void AddWarning(int line, int column, const std::string& message) override {
    AddError(line, column, message);
  }

  bool failed() const { return failed_; }

 private:
  const Place first_;
  Problems& problems_;
  bool failed_ = false;
};

// Well-formed UTF-8 without control characters: it can stand in any generated file.
bool IsPrintable(absl::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const unsigned char lead = text[i];
    if (lead < 0x20 || lead == 0x7f) return false;
    const size_t length = lead < 0x80   ? 1
                          : lead < 0xc2 ? 0
                          : lead < 0xe0 ? 2
                          : lead < 0xf0 ? 3
                          : lead < 0xf5 ? 4
                                        : 0;
    if (length == 0 || length > text.size() - i) return false;
    for (size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return false;
    }
    const unsigned char second = length > 1 ? text[i + 1] : 0;
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0) ||
        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second >= 0x90)) {
      return false;
    }
    i += length;
  }
  return true;
}

// Walks a message of the joined Data together with the parse tree of the block it came from.
class Recorder {
 public:
  Recorder(Place first, Places& places, Problems& problems)
      : first_(first), places_(places), problems_(problems) {}

  // Records `item`, which stands at `place`, and all below it.
  void Walk(const Message& item, Place place, const TextFormat::ParseInfoTree* tree) {
    places_.Record(item, place);
    if (tree == nullptr) return;
    const google::protobuf::Reflection& reflection = *item.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(item, &fields);
    for (const FieldDescriptor* field : fields) {
      const int count = field->is_repeated() ? reflection.FieldSize(item, field) : 1;
      for (int i = 0; i < count; ++i) WalkValue(item, place, *tree, field, i);
    }
  }

  // Where value `index` of the field stands. Of a list in brackets the parser records only the
  // first value: the others are taken to stand there too. `parent` if nothing is recorded.
  Place PlaceOf(const TextFormat::ParseInfoTree& tree, const FieldDescriptor* field, int index,
                Place parent) const {
    for (int i = index; i >= -1; --i) {
      const int line = tree.GetLocation(field, i).line;
      if (line >= 0) return {first_.file, first_.line + line};
    }
    return parent;
  }

 private:
  void WalkValue(const Message& message, Place parent, const TextFormat::ParseInfoTree& tree,
                 const FieldDescriptor* field, int i) {
    const google::protobuf::Reflection& reflection = *message.GetReflection();
    const int index = field->is_repeated() ? i : -1;
    const Place place = PlaceOf(tree, field, index, parent);
    places_.Record(message, field->number(), index, place);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      const Message& child = field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                                  : reflection.GetMessage(message, field);
      Walk(child, place, tree.GetTreeForNested(field, index));
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      const std::string text = field->is_repeated()
                                   ? reflection.GetRepeatedString(message, field, i)
                                   : reflection.GetString(message, field);
      if (!IsPrintable(text)) {
        problems_.Add(place, absl::StrCat("the text of '", field->name(),
                                          "' is not printable UTF-8 on one line."));
      }
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
      // The text format takes any number for an enum of proto3.
      const int number = reflection.GetEnumValue(message, field);
      if (field->enum_type()->FindValueByNumber(number) == nullptr) {
        problems_.Add(place,
                      absl::StrCat("the value ", number, " of '", field->name(), "' has no name."));
      }
    }
  }

  const Place first_;
  Places& places_;
  Problems& problems_;
};

}  // namespace

Place Places::Of(const Message& message) const {
  auto found = messages_.find(&message);
  return found == messages_.end() ? Place{} : found->second;
}

Place Places::Of(const Message& message, int field, int index) const {
  auto found = fields_.find({&message, field, index});
  return found == fields_.end() ? Of(message) : found->second;
}

void AppendBlock(int file, const DataBlock& block, Data& data, Places& places, Problems& problems) {
  const Place first{file, block.line};
  BlockErrors errors(first, problems);
  TextFormat::ParseInfoTree tree;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(&tree);
  parser.SetRecursionLimit(kMaxDepth);
  Data parsed;
  if (!parser.ParseFromString(block.text, &parsed)) {
    if (!errors.failed()) problems.Add(first, "the textproto block does not parse.");
    return;
  }
  Recorder recorder(first, places, problems);
  const google::protobuf::Reflection& reflection = *data.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(parsed, &fields);
  // Every field of Data is a repeated message.
  for (const FieldDescriptor* field : fields) {
    for (int i = 0; i < reflection.FieldSize(parsed, field); ++i) {
      Message* item = reflection.AddMessage(&data, field);
      item->CopyFrom(reflection.GetRepeatedMessage(parsed, field, i));
      recorder.Walk(*item, recorder.PlaceOf(tree, field, i, first),
                    tree.GetTreeForNested(field, i));
    }
  }
}

}  // namespace metaroce::compiler
